import { defineConfig } from 'vitest/config';
import { plainPath } from '../../../tools/plain-path.ts';

const include = ['test/scripts/cut-off/done.fixture.ts', 'test/scripts/cut-off/hangs.fixture.ts'];

/** A run that never ends by itself; cut-off.int.test.ts starts it through `npm test` and cuts it off. */
export default defineConfig({
  plugins: [plainPath()],
  test: {
    pool: 'forks',
    globalSetup: ['test/kit/engines/global-setup.ts'],
    setupFiles: ['test/kit/setup.ts'],
    maxWorkers: 2,
    projects: [{ extends: true, test: { name: 'unit', include } }],
  },
});
