import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  readonly registry: Registry;
  counter<Label extends string>(name: string, help: string, labels?: readonly Label[]): Counter<Label>;
  gauge<Label extends string>(
    name: string,
    help: string,
    labels?: readonly Label[],
    collect?: (gauge: Gauge<Label>) => Promise<void> | void,
  ): Gauge<Label>;
  histogram<Label extends string>(
    name: string,
    help: string,
    labels?: readonly Label[],
    buckets?: readonly number[],
  ): Histogram<Label>;
  /** For series kept outside prom-client because its label hashing is too slow for them. Appended at each scrape. */
  addText(collect: () => string): void;
  text(): Promise<string>;
}

/** From a tenth of a millisecond to ten seconds: a cached read and a stuck engine both stay readable. */
export const latencyBucketsSeconds = [
  0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
];

/** One registry per running program, never the global one, so that two programs in one test do not mix. */
export function createMetrics(options: { labels?: Record<string, string>; processMetrics?: boolean } = {}): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels(options.labels ?? {});
  if (options.processMetrics) collectDefaultMetrics({ register: registry, prefix: 'urr_' });
  const registers = [registry];
  const collectors: (() => string)[] = [];
  return {
    registry,
    counter: (name, help, labels = []) => new Counter({ name, help, labelNames: [...labels], registers }),
    gauge: (name, help, labels = [], collect) =>
      new Gauge({
        name,
        help,
        labelNames: [...labels],
        registers,
        ...(collect && {
          collect() {
            return collect(this);
          },
        }),
      }),
    histogram: (name, help, labels = [], buckets = latencyBucketsSeconds) =>
      new Histogram({ name, help, labelNames: [...labels], buckets: [...buckets], registers }),
    addText: (collect) => collectors.push(collect),
    async text() {
      return [await registry.metrics(), ...collectors.map((collect) => collect())].join('\n');
    },
  };
}
