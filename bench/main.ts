import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type BenchReport, type BenchWish, createReport, renderSection, replaceSection } from './report.ts';

/**
 * `npm run bench -- <subject> …|all`: runs bench/<subject>.ts, prints what it found and writes it to docs/benchmarks.md
 * (not with --dry-run). Ends with 1 when a target was missed. `--only lone,hot-seat` measures those parts of a subject that knows them
 * (ticketing, saga), `--pairs 15` more pairs than usual; what was measured in part is never written.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'dry-run': { type: 'boolean', default: false },
    only: { type: 'string' },
    pairs: { type: 'string' },
  },
});
const wish: BenchWish = {
  ...(values.only !== undefined && { only: values.only.split(',') }),
  ...(values.pairs !== undefined && { rounds: Math.max(1, Math.trunc(Number(values.pairs)) || 1) }),
};
const documentFile = new URL('../docs/benchmarks.md', import.meta.url);
const known = readdirSync(new URL('.', import.meta.url))
  .filter((file) => /^[a-z][a-z-]*\.ts$/.test(file) && !['main.ts', 'report.ts'].includes(file))
  .map((file) => file.slice(0, -'.ts'.length));
const subjects = positionals.includes('all') ? known : positionals;
const unknown = subjects.filter((subject) => !known.includes(subject));

if (subjects.length === 0 || unknown.length > 0) {
  for (const subject of unknown) console.error(`there is no benchmark called ${subject}`);
  console.error(
    `usage: npm run bench -- <subject> …|all [--dry-run] [--only <part>,…] [--pairs <n>]\nsubjects: ${known.join(', ')}`,
  );
  process.exitCode = 2;
} else {
  for (const subject of subjects) await runSubject(subject);
}

async function runSubject(subject: string): Promise<void> {
  console.log(`\n${subject}`);
  // Every file of this folder beside this one and the reporter has this form.
  const { run } = (await import(`./${subject}.ts`)) as { run(report: BenchReport): Promise<void> };
  const report = createReport((text) => console.log(text), wish);
  await run(report);
  const strangers = wish.only?.filter((part) => !report.parts.has(part)) ?? [];
  if (strangers.length > 0) {
    console.error(
      `${subject} has no part ${strangers.join(', ')}; its parts: ${[...report.parts].join(', ') || 'none'}`,
    );
    process.exitCode = 2;
  }
  if (report.collected.lines.some((line) => line.met === false)) process.exitCode = 1;
  if (values['dry-run'] || wish.only !== undefined) return;
  const section = renderSection(subject, report.collected, new Date().toISOString().slice(0, 10));
  writeFileSync(documentFile, replaceSection(readDocument(), subject, section));
}

function readDocument(): string {
  try {
    return readFileSync(documentFile, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return '# Benchmarks\n\nWritten by `npm run bench`. Both sides of a ratio ran by turns on the same machine; each number is a median.\n';
  }
}
