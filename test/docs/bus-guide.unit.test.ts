import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const guide = readFileSync(join(root, 'docs/guides/bus.md'), 'utf8');
const source = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => readFileSync(join(root, 'src', file), 'utf8'))
  .join('\n');
/** The prose, where what stands between backticks is one thing. */
const prose = guide.replaceAll(/```[\s\S]*?```/g, '');
const quoted = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text);

test('the guide to the bus names only metrics that there are', () => {
  const named = new Set(guide.match(/\burr_\w+/g));
  expect(named.size).toBeGreaterThan(8);
  expect([...named].filter((name) => !source.includes(`'${name.replace(/_(bucket|sum|count)$/, '')}'`))).toEqual([]);
});

test('the guide to the bus quotes the log as it is written', () => {
  const lines = quoted.filter((text) => /^[a-z]+( [^ ]+){3,}$/.test(text) && !/^(urr|npm) /.test(text));
  expect(lines.length).toBeGreaterThan(5);
  // What became of a message is put into this one line.
  const written = (line: string) => source.includes(line) || source.includes(`'${line.replace(/^a message /, '')}'`);
  expect(lines.filter((line) => !written(line))).toEqual([]);
});

test('the rules of the guide are those in deploy/prometheus', () => {
  const [, rules] = guide.match(/```yaml\n([\s\S]*?)```/) ?? [];
  expect(rules).toBe(readFileSync(join(root, 'deploy/prometheus/bus.rules.yml'), 'utf8'));
});

test('every alarm of the guide has its expression, and every section of the alarms its alarm or its metric', () => {
  const alarms = [...guide.matchAll(/- alert: (\w+)\n\s+expr: (.+)\n/g)];
  expect(alarms.length).toBe(guide.match(/- alert:/g)?.length);
  for (const [, name = '', expression = ''] of alarms) {
    expect([name, /\burr_\w+/.test(expression)]).toEqual([name, true]);
    expect([name, expression.split('(').length]).toEqual([name, expression.split(')').length]);
  }
  const sections = guide.split(/^### /m).slice(1);
  expect(sections.filter((section) => !/urr_bus_\w+/.test(section)).map((section) => section.split('\n')[0])).toEqual(
    [],
  );
});
