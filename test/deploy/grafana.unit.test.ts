import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createMetrics } from '#platform/telemetry/metrics.ts';

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string }[];
}

interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string }[] };
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const text = readFileSync(join(root, 'deploy/grafana/urr.json'), 'utf8');
const dashboard = JSON.parse(text) as Dashboard;
const charts = dashboard.panels.filter(({ type }) => type !== 'row');

/** Every series that urr offers: the names its source gives to metrics, and those of the process itself. */
async function offeredSeries(): Promise<Set<string>> {
  const kinds = new Map<string, string>();
  for (const file of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
    const source = readFileSync(join(root, 'src', file), 'utf8');
    for (const [, kind = '', name = ''] of source.matchAll(/metrics\.(counter|gauge|histogram)\(\s*'(\w+)'/g)) {
      kinds.set(name, kind);
    }
    for (const [, name = '', kind = ''] of source.matchAll(/# TYPE (\w+) (\w+)/g)) kinds.set(name, kind);
  }
  const ofProcess = await createMetrics({ processMetrics: true }).text();
  for (const [, name = '', kind = ''] of ofProcess.matchAll(/^# TYPE (\w+) (\w+)/gm)) kinds.set(name, kind);
  return new Set(
    [...kinds].flatMap(([name, kind]) =>
      kind === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
}

describe('the Grafana dashboard', () => {
  it('asks only for series that urr offers', async () => {
    const asked = new Set(text.match(/\burr_\w+/g));
    const offered = await offeredSeries();
    expect(asked.size).toBeGreaterThan(10);
    expect([...asked].filter((name) => !offered.has(name))).toEqual([]);
  });

  it('shows every metric that urr makes itself', async () => {
    const asked = new Set(text.match(/\burr_\w+/g));
    const base = (name: string) => name.replace(/_(bucket|sum|count)$/, '');
    const shown = new Set([...asked].map(base));
    const own = [...(await offeredSeries())].map(base).filter((name) => !/^urr_(process|nodejs)_/.test(name));
    expect([...new Set(own)].filter((name) => !shown.has(name))).toEqual([]);
  });

  it('has only variables that it defines, beside those of Grafana', () => {
    const used = new Set([...text.matchAll(/\$\{?(\w+)/g)].map(([, name]) => name));
    const known = [...dashboard.templating.list.map(({ name }) => name), '__rate_interval', '__all'];
    expect([...used].filter((name) => name !== undefined && !known.includes(name))).toEqual([]);
  });

  it('explains every panel, and no two share a place or an id', () => {
    expect(charts.every(({ description, targets }) => description && targets?.length)).toBe(true);
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(dashboard.panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
  });

  it('has brackets that match in every expression', () => {
    for (const { title, targets = [] } of charts) {
      for (const { expr } of targets) expect(unmatched(expr), `${title}: ${expr}`).toBe('');
    }
  });
});

/** What is left when text in quotes and matching pairs are taken away, again and again. */
function unmatched(expression: string): string {
  let left = expression.replaceAll(/"[^"]*"/g, '').replaceAll(/[^()[\]{}]/g, '');
  for (let before = ''; before !== left; ) {
    before = left;
    left = left.replaceAll(/\(\)|\[\]|\{\}/g, '');
  }
  return left;
}
