import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { generateAll } from './reference/all.ts';
import { findBreakingEvents } from './reference/compatibility.ts';
import { findDrift } from './reference/drift.ts';

/** `npm run generate`: writes every generated file. With --check it only says which ones would change. */
const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const root = fileURLToPath(new URL('..', import.meta.url));
const files = await generateAll(root);
const drift = findDrift(root, files);
const breaking = findBreakingEvents(root, files);

if (breaking.length > 0) {
  for (const problem of breaking) console.error(problem);
  console.error('Nothing was written. Keep what consumers read, or raise the version of the event type.');
  process.exitCode = 1;
} else if (values.check) {
  for (const { path, message } of drift) console.error(`${path} ${message}`);
  process.exitCode = drift.length === 0 ? 0 : 1;
} else {
  const changed = new Set(drift.map(({ path }) => path));
  for (const { path, text } of files.filter((file) => changed.has(file.path))) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    console.log(`wrote ${path}`);
  }
  console.log(`${files.length} generated files, ${changed.size} changed`);
}
