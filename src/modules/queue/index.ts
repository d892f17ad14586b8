import type { ProtectedCalls } from '#modules/gateway/contract.ts';
import { bindHandlers } from '#platform/http/contract.ts';
import type { ModuleDescription, ModuleInstance } from '#platform/module.ts';
import { entriesConsumer, entriesDeclaration, hotEntriesConsumer, hotEntriesDeclaration } from './consumers/entries.ts';
import { eventFactsConsumer, eventFactsDeclaration } from './consumers/event-facts.ts';
import { queueEntry, queueEntryHot, queueEvents, queueInternalCalls, queueRoutes } from './contract.ts';
import type { QueueDeps } from './deps.ts';
import { shortestIntervalMs } from './domain/pace.ts';
import { queueErrors } from './errors.ts';
import { createAdmissionJob } from './jobs/admission.ts';
import { createCleanUpJob } from './jobs/clean-up.ts';
import { createForgetWithdrawnJob } from './jobs/forget-withdrawn.ts';
import { createHotWatchJob } from './jobs/hot-watch.ts';
import { createRefreshJobs } from './jobs/refresh.ts';
import { createTotalsJob } from './jobs/totals.ts';
import { createAnnounce } from './notices/announce.ts';
import { createAdminHandlers } from './routes/admin-handlers.ts';
import { createCallers } from './routes/caller.ts';
import { createQueueCookies } from './routes/cookies.ts';
import { createQueueHandlers } from './routes/handlers.ts';
import { createInternalHandlers } from './routes/internal-handlers.ts';
import { createStatusExpress } from './routes/status-express.ts';
import { createStreamHandler } from './routes/stream.ts';
import { createAdministration } from './service/administration.ts';
import { createBufferedEntry } from './service/buffered-entry.ts';
import { createDemand } from './service/demand.ts';
import { createDenySet, type DenySet } from './service/deny-set.ts';
import { createEntryTokens } from './service/entry-tokens.ts';
import { createEventStates } from './service/event-states.ts';
import { createFactsRefreshJob, createKnownEvents } from './service/known-events.ts';
import { observeAdmission } from './service/observe-admission.ts';
import { createOriginLoop } from './service/origin-loop.ts';
import { createProtectedCallWatch } from './service/protected-calls.ts';
import { createQueueService, isOpenAt } from './service/queue.ts';
import { createQueueMetrics } from './service/queue-metrics.ts';
import type { RecoveryObserver } from './service/recovery.ts';
import { createRoomSwitch } from './service/room-switch.ts';
import { createServerWatch, fencedBy, readinessOf } from './service/server-watch.ts';
import { createShownEntries } from './service/shown-entry.ts';
import { createSignsOfLife } from './service/signs-of-life.ts';
import { createSnapshots } from './service/snapshots.ts';
import { createStreams } from './service/streams.ts';
import { createTier1 } from './service/tier1.ts';
import { createWaitingTickets } from './service/waiting-tickets.ts';
import { createJournal } from './storage/journal.ts';
import { createOwnReports } from './storage/origin-reports.ts';
import { createWithdrawnEntries } from './storage/withdrawn-entries.ts';

export const queueDescription = {
  name: 'queue',
  summary: 'Tier 2: places, admission, slots, entry tokens, wait estimates, push.',
  routes: queueRoutes,
  internalCalls: queueInternalCalls,
  errors: queueErrors.table,
  topics: [queueEntry, queueEntryHot, queueEvents],
  consumers: [entriesDeclaration, eventFactsDeclaration],
  migrations: new URL('./migrations/', import.meta.url),
} satisfies ModuleDescription;

/** The buffered entries of hot events, in a role of their own: it can be started, stopped and multiplied alone. */
export const queueHotDescription = {
  name: 'queue-hot',
  summary: 'Takes the buffered entries of hot events, so that they never delay the others.',
  routes: {},
  internalCalls: {},
  errors: {},
  topics: [],
  consumers: [hotEntriesDeclaration],
  migrations: null,
} satisfies ModuleDescription;

export interface QueueInstance extends ModuleInstance {
  /** Entry tokens of slots that ended early. For the gateway of this process. */
  readonly denied: Pick<DenySet, 'has'>;
  /** What the gateway of this process tells of calls behind an entry token. */
  readonly protectedCalls: ProtectedCalls;
}

export function createQueue(given: QueueDeps): QueueInstance {
  const deps = withPaceInConfig(given);
  const { store, clock, random, logger, config } = deps;
  const { pace, closedLoop, turnoverPerTick = 0 } = deps.admission ?? {};
  const metrics = createQueueMetrics(deps);
  const { journal, withdrawn, known, states, watch, openNow } = createFoundations(deps, metrics);
  const denied = createDenySet({ clock });
  const signs = createSignsOfLife({ store, states, clock, logger, config });
  const flusher = { id: deps.ids.next(), isFlushed: signs.isFlushed };
  const snapshots = createSnapshots({ store, states, watch, known, denied, clock, logger, flusher });
  const waitingTickets = createWaitingTickets({ secrets: deps.waitingTicketSecrets });
  const entryTokens = createEntryTokens({ kind: deps.entryTokens });
  const announce = createAnnounce({ entryTokens, clock, notices: deps.notices });
  const tier1 = createTier1(deps);
  const parts = {
    store,
    states,
    snapshots,
    signs,
    denied,
    waitingTickets,
    entryTokens,
    tier1,
    clock,
    random,
    metrics,
    config,
  };
  const shown = createShownEntries({ kind: deps.entryTokens, denied });
  const queue = createQueueService({ ...parts, shown, announce, withdrawn, logger });
  const streams = createStreams({ ...parts, logger });
  snapshots.onRefresh((view) => {
    signs.epochIs(view.eventId, view.snapshot.epoch);
    streams.update(view);
  });
  const callers = createCallers({ waitingTickets, onRefused: metrics.waitingTicketRefused });
  const loop = closedLoop === undefined ? null : createOriginLoop({ config: closedLoop, clock, logger });
  const protectedCalls = createProtectedCallWatch({ ...deps, reports: deps.originReports ?? createOwnReports(), loop });
  const admission = createAdmissionJob({
    ...deps,
    turnoverPerTick,
    ...(pace !== undefined && { pace }),
    ...(loop !== null && { origin: loop.share }),
    journal,
    states,
    watch,
    known,
    observe: observeAdmission({ metrics, announce }),
  });
  const administration = createAdministration({
    ...deps,
    journal,
    states,
    watch,
    snapshots,
    admitNow: admission.stepNow,
  });

  return {
    denied,
    checks: [readinessOf(watch)],
    express: [createStatusExpress({ queue, callers })],
    protectedCalls: protectedCalls.calls,
    handlers: bindHandlers(queueRoutes, {
      ...createQueueHandlers({
        queue,
        entry: createBufferedEntry({ ...deps, queue, snapshots, waitingTickets, tier1 }),
        callers,
        cookies: createQueueCookies({
          secure: deps.secureCookies,
          clock,
          waitingTickets,
          entryTokens: deps.entryTokens,
          closesAtMs: (eventId) => snapshots.peek(eventId)?.facts.closesAtMs,
        }),
        stream: createStreamHandler({ queue, snapshots, streams, callers, random }),
      }),
      ...createAdminHandlers(administration),
    }),
    internal: createInternalHandlers({
      database: deps.database,
      ...{ store, states, snapshots, denied },
      switchRoom: createRoomSwitch({ journal, store, states, known, snapshots, logger }),
      demand: createDemand({ ...deps, snapshots }),
    }),
    consumers: [entriesConsumer({ store, states, withdrawn, config, isOpen: openNow, announce }), eventFactsConsumer],
    jobs: [
      ...createRefreshJobs({ snapshots, signs, metrics }),
      createFactsRefreshJob(known, snapshots.renewFacts),
      admission,
      createCleanUpJob({ store, journal, states, clock, logger, config }),
      createForgetWithdrawnJob(withdrawn),
      createTotalsJob({ ...deps, snapshots }),
      createHotWatchJob({ ...deps, known, metrics }),
      ...protectedCalls.jobs,
    ],
    async stop() {
      streams.endAll();
      await Promise.all([
        administration.stop(),
        signs.flush().then(snapshots.stop),
        protectedCalls.stop(),
        deps.notices?.stop(),
      ]);
    },
  };
}

/** The one configuration of all parts. A wait is reckoned by the quickest that admission may be. */
function withPaceInConfig(deps: QueueDeps): QueueDeps {
  const pace = deps.admission?.pace;
  if (pace === undefined) return deps;
  const quickest = { admissionIntervalMs: shortestIntervalMs(pace), admissionBatch: pace.batch };
  return { ...deps, config: { ...deps.config, ...quickest } };
}

/** The role `queue-hot`. */
export function createQueueHot(
  deps: Pick<QueueDeps, 'database' | 'store' | 'catalog' | 'clock' | 'logger' | 'config' | 'entryTokens' | 'notices'>,
): ModuleInstance {
  const { store, clock, config, notices } = deps;
  const entryTokens = createEntryTokens({ kind: deps.entryTokens });
  const announce = createAnnounce({ entryTokens, clock, notices });
  const { withdrawn, known, states, openNow } = createFoundations(deps);
  return {
    handlers: {},
    internal: {},
    consumers: [hotEntriesConsumer({ store, states, withdrawn, config, isOpen: openNow, announce })],
    jobs: [{ ...createFactsRefreshJob(known), name: 'queue-hot-facts-refresh' }],
    stop: async () => notices?.stop(),
  };
}

/** What every process needs that touches queues. */
function createFoundations(
  deps: Pick<QueueDeps, 'database' | 'store' | 'catalog' | 'clock' | 'logger' | 'config'>,
  observe?: RecoveryObserver,
) {
  const { database, store, catalog, clock, logger, config } = deps;
  const journal = createJournal({ database });
  const withdrawn = createWithdrawnEntries({ database, logger });
  const known = createKnownEvents({ database, catalog, clock, logger });
  const bare = createEventStates({ store, journal, known, clock, logger, config, ...(observe && { observe }) });
  const watch = createServerWatch({ store, journal, states: bare, logger });
  const states = fencedBy(watch, bare);
  const openNow = async (eventId: string) => {
    const facts = await known.get(eventId);
    return facts?.queueEnabled === true && isOpenAt(facts, clock.now());
  };
  return { journal, withdrawn, known, states, watch, openNow };
}

export type {
  AdmissionNotice,
  AdmissionNotices,
  AdmissionOptions,
  OriginReports,
  QueueDeps,
} from './deps.ts';
export { createSqsNotices } from './notices/sqs-notices.ts';
export type { QueueConfig, QueueStore } from './ports.ts';
export { createWaitingTicketHolder } from './routes/caller.ts';
export { createDeniedEntries, type DeniedEntries } from './service/denied-entries.ts';
export { createProtectedCallWatch, type ProtectedCallWatch } from './service/protected-calls.ts';
export { createMemoryStore } from './storage/memory-store.ts';
export { createOwnReports, createRedisReports } from './storage/origin-reports.ts';
export { createRedisStore } from './storage/redis-store.ts';
