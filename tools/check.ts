import { fileURLToPath } from 'node:url';
import { checkGenerated } from './check/generated.ts';
import { lint } from './check/lint.ts';
import { checkSource } from './check/source.ts';
import { type Outcome, printOutcome, printSummary } from './check/step.ts';
import { checkTypes } from './check/types.ts';

/**
 * `npm run check`: everything that can be known without running the program. Each step reports all it finds, with a line
 * on how to mend it, and no step hides another's findings. Another folder than this project may be named.
 */
const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));

// The type checker and the linter use every core by themselves, so they take turns; the rest fits in beside them.
const tools = (async () => [await checkTypes(root), await lint(root)])();
const own = (async () => [await checkSource(root), await checkGenerated(root)])();
const outcomes: Outcome[] = (await Promise.all([tools, own])).flat();

for (const outcome of outcomes) printOutcome(outcome);
printSummary(outcomes);
process.exitCode = outcomes.every((outcome) => outcome.problems.length === 0) ? 0 : 1;
