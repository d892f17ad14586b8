/** What a guide says about files: those it shows in full, and the lines it adds to others. */
export interface GuideBlocks {
  readonly files: ReadonlyMap<string, string>;
  readonly additions: ReadonlyMap<string, readonly Addition[]>;
}

/** `lines` go after the one line of the file that starts with `after`. */
export interface Addition {
  readonly after: string;
  readonly lines: readonly string[];
}

/** A block names its file in its first line: as a comment of its language, or after `---` where it is a diff. */
export function guideBlocks(markdown: string): GuideBlocks {
  const files = new Map<string, string>();
  const additions = new Map<string, Addition[]>();
  for (const [, language, path, body = ''] of markdown.matchAll(block)) {
    if (path === undefined) continue;
    if (language === 'diff') additions.set(path, additionsOf(body));
    else files.set(path, body);
  }
  return { files, additions };
}

const block = /^```(\w+)\n(?:(?:\/\/|--|---|<!--) (\S+\/\S+\.\w+)(?: -->)?\n)?([\s\S]*?)^```$/gm;

function additionsOf(diff: string): Addition[] {
  const additions: { after: string; lines: string[] }[] = [];
  for (const line of diff.trimEnd().split('\n')) {
    if (line.startsWith('+')) additions.at(-1)?.lines.push(line.slice(1));
    else additions.push({ after: line.slice(1).replace(/ ?…$/, ''), lines: [] });
  }
  return additions;
}

/** The file with the lines added, as somebody who follows the guide would add them. */
export function withAdditions(text: string, additions: readonly Addition[]): string {
  let lines = text.split('\n');
  for (const { after, lines: added } of additions) {
    const places = lines.flatMap((line, index) => (line.startsWith(after) ? [index] : []));
    const [place] = places;
    if (place === undefined || places.length > 1) throw new Error(`${places.length} lines start with "${after}"`);
    lines = lines.toSpliced(place + 1, 0, ...added);
  }
  return lines.join('\n');
}
