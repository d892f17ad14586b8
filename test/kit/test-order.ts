import { basename } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Projects of one group share its workers. The one with the longest files goes first and the one with the shortest last, so
 * that no worker is left alone with a long file at the end. Otherwise vitest's own order holds: groups, then large files first.
 */
export default class TestOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort(
      (a, b) => groupOf(a) - groupOf(b) || rankOf(a) - rankOf(b) || lengthOf(a) - lengthOf(b),
    );
  }
}

const longestFirst = ['e2e', 'browser', 'int', 'http'];

/** Their tests are elsewhere, in suites for several adapters, so their size says nothing. Each took more than half a minute. */
export const longThoughSmall = new Set([
  'kafka-bus.int.test.ts',
  'redis-properties.int.test.ts',
  'embedded-bus.int.test.ts',
  'engines.int.test.ts',
]);

function groupOf({ project }: TestSpecification): number {
  return project.config.sequence.groupOrder;
}

function rankOf({ project }: TestSpecification): number {
  return longestFirst.indexOf(project.name);
}

function lengthOf({ moduleId }: TestSpecification): number {
  return longThoughSmall.has(basename(moduleId)) ? 0 : 1;
}
