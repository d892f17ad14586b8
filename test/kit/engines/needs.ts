import { accessSync, appendFileSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';
import { type EngineName, engineNames } from './engine.ts';
import { scratchRoot } from './scratch.ts';

/**
 * A `describe` for tests that need an engine which not every machine can have. `npm test` names at its end what was
 * not run for want of one, and fails for it under URR_TEST_REQUIRE=all, so nothing goes missing silently.
 */
export function describeWith(needed: EngineName | readonly EngineName[], name: string, body: () => void): void {
  const missing = [needed].flat().filter((engine) => !availableEngines().has(engine));
  if (missing.length > 0)
    appendFileSync(join(scratchRoot(), 'not-run.jsonl'), `${JSON.stringify({ name, missing })}\n`);
  describe.runIf(missing.length === 0)(name, body);
}

/** As `npm test` found them; a run without it looks for itself. */
export function availableEngines(): ReadonlySet<EngineName> {
  const told = process.env.URR_TEST_ENGINES;
  return new Set(engineNames.filter((name) => (told === undefined ? isHere[name]() : told.split(',').includes(name))));
}

const kafkaLibs = fileURLToPath(new URL('../../../.cache/kafka/libs', import.meta.url));

const isHere: Readonly<Record<EngineName, () => boolean>> = {
  redis: () => onPath('redis-server'),
  kafka: () => onPath('java') && existsSync(kafkaLibs),
  nginx: () => onPath('nginx'),
  chromium: () => onPath('chromium') || onPath('chromium-browser') || onPath('google-chrome'),
};

function onPath(command: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
