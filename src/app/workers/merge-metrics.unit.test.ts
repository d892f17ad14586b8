import { expect, test } from 'vitest';
import { mergeMetrics } from './merge-metrics.ts';

test('each family is described once and keeps the samples of every worker', () => {
  const one = '# HELP a_total An a.\n# TYPE a_total counter\na_total{worker="1"} 3\n';
  const two =
    '# HELP a_total An a.\n# TYPE a_total counter\na_total{worker="2"} 4\n\n# HELP b B.\n# TYPE b gauge\nb{worker="2"} 1\n';
  expect(mergeMetrics([one, two])).toBe(
    '# HELP a_total An a.\n# TYPE a_total counter\na_total{worker="1"} 3\na_total{worker="2"} 4\n# HELP b B.\n# TYPE b gauge\nb{worker="2"} 1\n',
  );
});
