import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import type { TestSpecification, Vitest } from 'vitest/node';
import TestOrder, { longThoughSmall } from './test-order.ts';

const groupOrders: Readonly<Record<string, number>> = { unit: 0, int: 1, http: 1, e2e: 1, browser: 1 };

const aSpec = (file: string) => {
  const name = file.split('.').at(-3) ?? '';
  const project = { name, config: { isolate: true, sequence: { groupOrder: groupOrders[name] } } };
  return { moduleId: file, project } as unknown as TestSpecification;
};

/** As in a fresh clone, which knows no times. */
const order = new TestOrder({ cache: { getTestSpecificationResult: () => undefined } } as unknown as Vitest);

test('the quick group comes first, then long projects before short ones, long files at the head of theirs', async () => {
  const files = [
    'a.http.test.ts',
    'a.int.test.ts',
    'kafka-bus.int.test.ts',
    'a.browser.test.ts',
    'a.e2e.test.ts',
    'a.unit.test.ts',
  ];
  expect((await order.sort(files.map(aSpec))).map(({ moduleId }) => moduleId)).toEqual([
    'a.unit.test.ts',
    'a.e2e.test.ts',
    'a.browser.test.ts',
    'kafka-bus.int.test.ts',
    'a.int.test.ts',
    'a.http.test.ts',
  ]);
});

test('the files that are known to be long exist', () => {
  const files = new Set(globSync('{src,test}/**/*.int.test.ts').map((file) => basename(file)));
  expect([...longThoughSmall].filter((file) => !files.has(file))).toEqual([]);
});
