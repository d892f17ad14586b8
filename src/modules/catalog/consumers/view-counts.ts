import { type ConsumerDeclaration, defineConsumer } from '#platform/bus/port.ts';
import { addViews } from '../storage/views.ts';
import { catalogViews } from '../topics.ts';

export const viewCountsDeclaration = {
  topic: catalogViews,
  group: 'catalog-views',
  mode: 'batch',
  commit: 'auto',
  retry: { times: 0, backoffMs: 0 },
  deadLetter: null,
  batchSizeMax: 1_000,
} as const satisfies ConsumerDeclaration<typeof catalogViews>;

/** Nothing deduplicates: a view that is counted twice or not at all after a crash is a price worth the speed. */
export const viewCountsConsumer = defineConsumer({
  declaration: viewCountsDeclaration,
  async handle(events, { tx }) {
    const counts = new Map<string, number>();
    for (const { data } of events) counts.set(data.eventId, (counts.get(data.eventId) ?? 0) + data.count);
    await addViews(tx, counts);
  },
});
