const kinds = ['artist', 'venue', 'layout', 'event'] as const;

/** The same at every start, so that loading twice finds what is there. In the form of a UUIDv7. */
export function demoId(kind: (typeof kinds)[number], number: number): string {
  const group = String(kinds.indexOf(kind) + 1).padStart(4, '0');
  return `01990000-${group}-7000-8000-${String(number).padStart(12, '0')}`;
}
