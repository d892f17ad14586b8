import type { Metrics } from './metrics.ts';

export interface HttpMetrics {
  observe(method: string, route: string, status: number, seconds: number): void;
}

interface Series {
  readonly method: string;
  readonly route: string;
  readonly statuses: Map<number, number>;
  readonly buckets: number[];
  seconds: number;
}

const boundsSeconds = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10];

/**
 * Requests by route and status. prom-client hashes its labels at every observation, which is felt at 50,000
 * requests/s; here a request costs two map look-ups and an addition, and the text is made when scraped.
 */
export function createHttpMetrics(metrics: Metrics, labels: Readonly<Record<string, string>> = {}): HttpMetrics {
  const routes = new Map<string, Map<string, Series>>();
  const common = Object.entries(labels)
    .map(([name, value]) => `,${name}="${value}"`)
    .join('');
  metrics.addText(() =>
    render(
      [...routes.values()].flatMap((byMethod) => [...byMethod.values()]),
      common,
    ),
  );
  return {
    observe(method, route, status, seconds) {
      let byMethod = routes.get(route);
      if (byMethod === undefined) {
        byMethod = new Map();
        routes.set(route, byMethod);
      }
      let series = byMethod.get(method);
      if (series === undefined) {
        series = {
          method,
          route,
          statuses: new Map(),
          buckets: new Array(boundsSeconds.length + 1).fill(0),
          seconds: 0,
        };
        byMethod.set(method, series);
      }
      series.statuses.set(status, (series.statuses.get(status) ?? 0) + 1);
      series.seconds += seconds;
      let bucket = 0;
      while (bucket < boundsSeconds.length && seconds > (boundsSeconds[bucket] ?? 0)) bucket += 1;
      series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1;
    },
  };
}

function render(all: readonly Series[], common: string): string {
  const requests = [
    '# HELP urr_http_requests_total Requests answered, by route and status.',
    '# TYPE urr_http_requests_total counter',
  ];
  const durations = [
    '# HELP urr_http_request_seconds How long requests took.',
    '# TYPE urr_http_request_seconds histogram',
  ];
  for (const series of all) {
    const name = `method="${series.method}",route="${series.route}"${common}`;
    for (const [status, count] of series.statuses)
      requests.push(`urr_http_requests_total{${name},status="${status}"} ${count}`);
    let cumulative = 0;
    series.buckets.forEach((count, index) => {
      cumulative += count;
      durations.push(`urr_http_request_seconds_bucket{${name},le="${boundsSeconds[index] ?? '+Inf'}"} ${cumulative}`);
    });
    durations.push(
      `urr_http_request_seconds_sum{${name}} ${series.seconds}`,
      `urr_http_request_seconds_count{${name}} ${cumulative}`,
    );
  }
  return `${[...requests, ...durations].join('\n')}\n`;
}
