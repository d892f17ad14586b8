import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { runTool } from './run-tool.ts';
import { type Outcome, type Problem, step } from './step.ts';

/** That of the edge knows no Node. */
const projects = ['tsconfig.json', 'web/tsconfig.json', 'edge/tsconfig.json'];
/** Each checker does part of the work of the others again, so more of them than cores only cost. */
const checkers = String(Math.min(4, availableParallelism()));
const mend = 'Correct the types; a cast needs a comment that says why it is true.';

export function checkTypes(root: string): Promise<Outcome> {
  return step('types', async () => {
    const problems: Problem[] = [];
    for (const project of projects.filter((path) => existsSync(join(root, path)))) {
      const args = ['--noEmit', '--pretty', 'false', '--checkers', checkers, '--project', project];
      const { ok, output } = await runTool({ packageName: 'typescript', command: 'tsc', args, cwd: root });
      if (!ok) problems.push(...errorsOf(output).map((text) => ({ text, mend })));
    }
    return problems;
  });
}

/** One text per error: its further lines are indented. */
function errorsOf(output: string): string[] {
  return output.trim().split(/\n(?!\s)/);
}
