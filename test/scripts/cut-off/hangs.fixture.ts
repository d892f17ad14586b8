import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const hourMs = 3_600_000;

test('breaks before', () => expect(1).toBe(2));

test('hangs', { timeout: hourMs }, async () => {
  // The parent of a test file's process is vitest.
  writeFileSync(join(process.env.URR_TEST_SCRATCH ?? '', 'vitest.pid'), String(process.ppid));
  await new Promise((done) => setTimeout(done, hourMs));
});
