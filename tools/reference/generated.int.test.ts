import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrationSets } from '#app/migrations.ts';
import { generateScripts } from '../lua/generate.ts';
import { generateAll } from './all.ts';
import { eventsPath, findBreakingEvents } from './compatibility.ts';
import { renderDatabase } from './database.ts';
import { findDrift } from './drift.ts';
import type { EventsDocument } from './events.ts';
import type { GeneratedFile } from './generated-file.ts';
import { withMigratedDatabase } from './scratch-database.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));
let root: string;
let files: GeneratedFile[];

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'urr-generated-'));
  files = await generateAll(project);
  for (const { path, text } of files) write(path, text);
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('generated files', () => {
  it('are what the sources say', () => {
    expect(findDrift(project, files)).toEqual([]);
  });

  it('are found out when one differs, whichever it is', () => {
    expect(findDrift(root, files)).toEqual([]);
    for (const { path, text } of files) {
      write(path, text.replace('\n', ' \n'));
      expect(findDrift(root, files)).toEqual([{ path, message: 'differs from its sources at line 1' }]);
      write(path, `${text}more\n`);
      expect(findDrift(root, files)).toHaveLength(1);
      rmSync(join(root, path));
      expect(findDrift(root, files)).toEqual([{ path, message: 'is missing' }]);
      write(path, text);
    }
  });

  it('follow the changed header of a Lua script', () => {
    cpSync(join(project, 'src/modules'), join(root, 'src/modules'), {
      recursive: true,
      filter: (path) => !path.endsWith('.ts') || path.endsWith('.generated.ts'),
    });
    expect(findDrift(root, generateScripts(root))).toEqual([]);
    const [lua = ''] = globSync('src/modules/*/scripts/*.lua', { cwd: root });
    write(lua, readFileSync(join(root, lua), 'utf8').replace('-- purpose: ', '-- purpose: Changed. '));
    const drift = findDrift(root, generateScripts(root));
    expect(drift.map(({ path }) => path)).toEqual([join(dirname(lua), 'scripts.generated.ts')]);
  });

  it('follow a changed schema', async () => {
    const schemas = migrationSets.map((set) => set.schema);
    const after = await withMigratedDatabase(async (database) => {
      await database.query('CREATE TABLE auth.probe (id uuid PRIMARY KEY, user_id uuid REFERENCES auth.users (id))');
      return renderDatabase(database, schemas);
    });
    expect(after).not.toBe(files.find((file) => file.path.endsWith('database.md'))?.text);
    expect(after).toContain('  probe {\n    uuid id PK\n    uuid user_id FK "may be null"\n  }');
    expect(after).toContain('  users |o--o{ probe : "user_id"');
  });
});

describe('a change of an event', () => {
  it('that old consumers could not read is refused, unless its version is raised', () => {
    expect(findBreakingEvents(root, files)).toEqual([]);
    const text = files.find((file) => file.path === eventsPath)?.text ?? '';
    const changed = (version: number) => {
      const document = JSON.parse(text) as EventsDocument;
      const [topic] = document.topics;
      const [type, definition] = Object.entries(topic?.types ?? {})[0] ?? [];
      Object.assign(definition ?? {}, { version, data: { type: 'string' } });
      const now = [{ path: eventsPath, text: JSON.stringify(document) }];
      return { name: `${topic?.name} ${type}`, problems: findBreakingEvents(root, now) };
    };
    const { name, problems } = changed(1);
    expect(problems).toEqual([`${name} data: was object and is string`]);
    expect(changed(2).problems).toEqual([]);
  });

  it('that removes a topic is refused', () => {
    const problems = findBreakingEvents(root, [{ path: eventsPath, text: '{ "topics": [] }' }]);
    expect(problems).toContainEqual(expect.stringContaining(': the topic was removed'));
  });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
