import type { GetEventResult, ListEventsResult } from '../api/client.generated.ts';

export type EventSummary = ListEventsResult['items'][number];
export type EventDetail = GetEventResult;
export type EventStatus = EventSummary['status'];
export type SaleTier = EventDetail['phases'][number]['tier'];
