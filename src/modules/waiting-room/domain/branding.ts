/** How the waiting page looks. Null: as usual. */
export interface Branding {
  readonly name: string | null;
  /** The address of a picture. */
  readonly logo: string | null;
  readonly title: InBoth;
  readonly heading: InBoth;
  readonly body: InBoth;
  readonly colours: Colours;
}

interface InBoth {
  readonly ko: string | null;
  readonly en: string | null;
}

interface Colours {
  /** `#rrggbb` */
  readonly accent: string | null;
  /** Of text on the accent. */
  readonly onAccent: string | null;
}

const asUsual = { ko: null, en: null };
export const plainBranding: Branding = {
  name: null,
  logo: null,
  title: asUsual,
  heading: asUsual,
  body: asUsual,
  colours: { accent: null, onAccent: null },
};

const contrastLeast = 4.5;

/** Both colours or none, and text in one can be read on the other (WCAG 2, AA). */
export function isReadable({ accent, onAccent }: Colours): boolean {
  if (accent === null || onAccent === null) return accent === onAccent;
  const [dark = 0, light = 0] = [luminance(accent), luminance(onAccent)].sort((one, other) => one - other);
  return (light + 0.05) / (dark + 0.05) >= contrastLeast;
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
