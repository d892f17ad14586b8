import type { Outcome, Problem } from './step.ts';
import { step } from './step.ts';

/** Generated files are as their sources say, and no event changed in a way that its consumers could not read. */
export function checkGenerated(root: string): Promise<Outcome> {
  return step('generated files', async (): Promise<Problem[]> => {
    try {
      // Loads the program itself, which a syntax error anywhere keeps from loading: that is a finding, not a crash.
      const { generateAll } = await import('../reference/all.ts');
      const { findBreakingEvents } = await import('../reference/compatibility.ts');
      const { findDrift } = await import('../reference/drift.ts');
      const files = await generateAll(root);
      return [
        ...findBreakingEvents(root, files).map((text) => ({
          text,
          mend: 'Keep what consumers read (add optional fields only), or raise the version of the event type.',
        })),
        ...findDrift(root, files).map(({ path, message }) => ({
          text: `${path} ${message}`,
          mend: 'Run `npm run generate` and commit what it writes.',
        })),
      ];
    } catch (error) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      return [{ text, mend: 'The generator could not run; correct this first.' }];
    }
  });
}
