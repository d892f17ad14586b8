/** What one step of the check found. */
export interface Outcome {
  readonly name: string;
  readonly ms: number;
  readonly problems: readonly Problem[];
}

export interface Problem {
  readonly text: string;
  /** How to mend it. */
  readonly mend: string;
}

export async function step(
  name: string,
  work: () => Promise<readonly Problem[]> | readonly Problem[],
): Promise<Outcome> {
  const startedAt = performance.now();
  const problems = await work();
  return { name, ms: performance.now() - startedAt, problems };
}

/** Problems that are mended alike stand together, so that the advice is read once. */
export function printOutcome({ name, problems }: Outcome): void {
  if (problems.length === 0) return;
  console.error(`\n✗ ${name}`);
  for (const [mend, alike] of Map.groupBy(problems, (problem) => problem.mend)) {
    for (const { text } of alike) console.error(indented(text));
    console.error(`    → ${mend}`);
  }
}

export function printSummary(outcomes: readonly Outcome[]): void {
  console.error('');
  for (const { name, ms, problems } of outcomes) {
    const mark = problems.length === 0 ? '✓' : '✗';
    const found = problems.length === 0 ? '' : `, ${problems.length} found`;
    console.error(`${mark} ${name} (${(ms / 1000).toFixed(1)} s${found})`);
  }
}

function indented(text: string): string {
  return text.trimEnd().replaceAll(/^/gm, '  ');
}
