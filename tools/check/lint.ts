import { runTool } from './run-tool.ts';
import { type Outcome, step } from './step.ts';

const diagnosticsMax = 200;

/** Format and lint, by Biome. */
export function lint(root: string): Promise<Outcome> {
  return step('lint and format', async () => {
    const { ok, output } = await runTool({
      packageName: '@biomejs/biome',
      command: 'biome',
      args: ['ci', '--colors=off', '--diagnostic-level=warn', `--max-diagnostics=${diagnosticsMax}`, '.'],
      cwd: root,
    });
    return ok ? [] : [{ text: output, mend: 'Run `npm run format`, then correct what it could not.' }];
  });
}
