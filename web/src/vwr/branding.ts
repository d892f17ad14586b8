import { type Branding, element } from './screen.ts';
import { textOf } from './server.ts';

type Fields = Readonly<Record<string, unknown>>;

export function brandingOf(body: Fields): Branding {
  const both = (value: unknown) => {
    const { ko, en } = (value ?? {}) as Fields;
    return { ko: textOf(ko), en: textOf(en) };
  };
  return {
    name: textOf(body.name),
    logo: textOf(body.logo),
    title: both(body.title),
    heading: both(body.heading),
    body: both(body.body),
    colours: (body.colours ?? {}) as Record<string, string>,
  };
}

/** Colours only, each checked by the server and once more here, and a picture. No styles of others, no scripts. */
export function paint(branding: Branding): Branding {
  const { accent, onAccent } = branding.colours;
  const { style } = document.documentElement;
  if (isColour(accent) && isColour(onAccent)) {
    style.setProperty('--seal', accent);
    style.setProperty('--on-seal', onAccent);
  }
  if (branding.logo !== null) {
    const logo = element('logo') as HTMLImageElement;
    logo.addEventListener('load', () => {
      logo.hidden = false;
    });
    logo.src = branding.logo;
  }
  return branding;
}

function isColour(text: string | undefined): text is string {
  return text !== undefined && /^#[0-9a-f]{6}$/i.test(text);
}
