import { defineConfig } from 'vitest/config';
import TestOrder from './test/kit/test-order.ts';
import { plainPath } from './tools/plain-path.ts';

/** Guards against hanging, not limits of speed: a busy machine must not turn a correct test red. */
const hangGuards = { testTimeout: 300_000, hookTimeout: 300_000, teardownTimeout: 60_000 };

/** A test file says by its ending what it needs; it lives beside the code it tests. */
function project(name: string, options: { order: number; workersMax: number }) {
  return {
    extends: true as const,
    test: {
      name,
      include: [`{src,test,tools,bench,edge,web,deploy}/**/*.${name}.test.{ts,tsx}`],
      maxWorkers: options.workersMax,
      // Groups run one after the other; the projects of one share its workers, in the order of TestOrder.
      sequence: { groupOrder: options.order },
    },
  };
}

export default defineConfig({
  plugins: [plainPath()],
  test: {
    ...hangGuards,
    // Processes, not threads: tests start servers, send signals and count their own descriptors.
    pool: 'forks',
    globalSetup: ['./test/kit/engines/global-setup.ts'],
    sequence: { sequencer: TestOrder },
    setupFiles: ['./test/kit/setup.ts'],
    // A test that fails sometimes is a defect; running it again would hide it.
    retry: 0,
    passWithNoTests: false,
    projects: [
      project('unit', { order: 0, workersMax: 2 }),
      // One group, two files at once: what starts whole programs mostly waits, and no test may depend on speed.
      project('int', { order: 1, workersMax: 2 }),
      project('http', { order: 1, workersMax: 2 }),
      project('e2e', { order: 1, workersMax: 2 }),
      project('browser', { order: 1, workersMax: 2 }),
      // Minutes of crowds and crashes, by `npm run test:chaos` only; what CI runs instead is test/e2e/queue-walk.e2e.test.ts.
      ...(process.argv.includes('chaos') ? [project('chaos', { order: 2, workersMax: 1 })] : []),
    ],
  },
});
