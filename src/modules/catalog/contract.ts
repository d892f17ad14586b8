import { layoutFileContracts } from './routes/layout-file-contracts.ts';
import { publicContracts } from './routes/public-contracts.ts';
import { sellerContracts } from './routes/seller-contracts.ts';

/** What others may know of catalog: its routes, internal calls and topics, and the decisions that follow from their data. */
export const catalogRoutes = { ...publicContracts, ...sellerContracts, ...layoutFileContracts };

export { type EventStatus, eventStatus, eventStatuses } from './domain/event-status.ts';
export { type LayoutDocument, type LayoutSeat, seatsOf } from './domain/layout.ts';
export { type LayoutSource, layoutDocumentOf } from './domain/layout-source.ts';
export { mayBuy, openTier, type SaleTier, saleTiers } from './domain/phases.ts';
export { catalogInternalCalls, type LiveEventFacts } from './internal-calls.ts';
export { catalogEvents, catalogViews, type EventSnapshot } from './topics.ts';
