/** Joins expositions of several processes: each family keeps one HELP and one TYPE line, then everybody's samples. */
export function mergeMetrics(texts: readonly string[]): string {
  const families = new Map<string, { head: string[]; samples: string[] }>();
  for (const text of texts) {
    let family: { head: string[]; samples: string[] } | undefined;
    for (const line of text.split('\n')) {
      if (line === '') continue;
      const described = /^# (?:HELP|TYPE) (\S+)/.exec(line);
      if (described?.[1] !== undefined) {
        family = families.get(described[1]);
        if (family === undefined) {
          family = { head: [], samples: [] };
          families.set(described[1], family);
        }
        if (!family.head.includes(line)) family.head.push(line);
      } else family?.samples.push(line);
    }
  }
  const lines = [...families.values()].flatMap(({ head, samples }) => [...head, ...samples]);
  return `${lines.join('\n')}\n`;
}
