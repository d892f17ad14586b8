import type { Clock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import type { Job } from '#platform/module.ts';
import { systemRandom } from '#platform/random.ts';
import { type Logger, silentLogger } from '#platform/telemetry/logger.ts';
import { createAdmissionJob } from '../jobs/admission.ts';
import type { AdmissionDeps } from '../jobs/admission-deps.ts';
import { createCleanUpJob } from '../jobs/clean-up.ts';
import type {
  EnterResult,
  EventFacts,
  KnownEvents,
  LeaveResult,
  QueueConfig,
  QueueJournal,
  QueueStore,
} from '../ports.ts';
import { isOverAt } from '../service/event-facts.ts';
import { createEventStates, type RecoverableEventStates } from '../service/event-states.ts';
import { changesOfEntering, changesOfLeaving } from '../service/recent-changes.ts';
import { createServerWatch, fencedBy, type ServerWatch } from '../service/server-watch.ts';

export const aQueueConfig: QueueConfig = {
  threshold: 100,
  activeTtlMs: 600_000,
  seenTtlMs: 600_000,
  absentMs: 90_000,
  claimMs: 120_000,
  admissionIntervalMs: 1_000,
  admissionBatch: 100,
  exactPositions: 1_000,
  cleanupIntervalMs: 30_000,
  activeSeenTtlMs: null,
  recoveringMs: 75_000,
};

export interface QueueProcess {
  readonly states: RecoverableEventStates;
  readonly watch: ServerWatch;
  readonly admission: Job;
  readonly cleanUp: Job;
  /** One run of the admission job. */
  tick(): Promise<void>;
  enter(eventId: string, userId: string, ticketOrder?: number): Promise<EnterResult>;
  leave(eventId: string, userId: string): Promise<LeaveResult>;
}

export interface QueueProcessOptions {
  readonly store: QueueStore;
  readonly journal: QueueJournal;
  readonly clock: Clock;
  readonly config?: Partial<QueueConfig>;
  readonly facts?: readonly EventFacts[];
  readonly logger?: Logger;
  readonly admission?: Partial<AdmissionDeps>;
}

/** What one process of the queue does, without HTTP: several of them share a store and a journal. */
export function aQueueProcess(options: QueueProcessOptions): QueueProcess {
  const { store, journal, clock, facts = [], logger = silentLogger } = options;
  const config = { ...aQueueConfig, ...options.config };
  const known: KnownEvents = {
    get: async (eventId) => facts.find((each) => each.eventId === eventId) ?? null,
    onSale: () => facts.filter((each) => !isOverAt(each, clock.now())),
    isOver: (eventId) => facts.some((each) => each.eventId === eventId && isOverAt(each, clock.now())),
  };
  const bare = createEventStates({ store, journal, known, clock, logger, config });
  const watch = createServerWatch({ store, journal, states: bare, logger });
  const states = fencedBy(watch, bare);
  const ids = createIds({ clock, random: systemRandom });
  const shared = { store, journal, states, watch, known, clock, ids, logger, config };
  const admission = createAdmissionJob({ ...shared, ...options.admission });
  const signal = new AbortController().signal;
  return {
    states,
    watch,
    admission,
    cleanUp: createCleanUpJob(shared),
    tick: () => admission.run(signal),
    enter: (eventId, userId, ticketOrder) =>
      states.withState<EnterResult>(
        eventId,
        async ({ mayGrant }) =>
          store.enter({
            withoutSlot: !(await mayGrant()),
            eventId,
            userId,
            mode: 'enter',
            lane: 1,
            roomOn: false,
            activeTtlMs: config.activeTtlMs,
            ...(ticketOrder !== undefined && { ticketOrder }),
          }),
        changesOfEntering,
      ),
    leave: (eventId, userId) =>
      states.withState<LeaveResult>(eventId, () => store.leave({ eventId, userId }), changesOfLeaving),
  };
}

export function someEventFacts(eventId: string, overrides: Partial<EventFacts> = {}): EventFacts {
  return {
    eventId,
    title: '먼 데서 온 바람',
    artist: '우르르',
    startsAt: '2027-05-01T10:00:00.000Z',
    opensAtMs: 0,
    closesAtMs: Date.parse('2127-12-01T00:00:00.000Z'),
    queueEnabled: true,
    threshold: null,
    hot: false,
    cancelled: false,
    version: 1,
    ...overrides,
  };
}
