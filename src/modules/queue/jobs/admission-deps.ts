import type { Clock } from '#platform/clock.ts';
import type { Ids } from '#platform/ids.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import type { OriginShare } from '../domain/closed-loop.ts';
import type { PaceConfig } from '../domain/pace.ts';
import type { KnownEvents, QueueConfig, QueueJournal, QueueStore, Slot } from '../ports.ts';
import type { RecoverableEventStates } from '../service/event-states.ts';
import type { ServerWatch } from '../service/server-watch.ts';

export interface AdmissionDeps {
  readonly store: QueueStore;
  readonly journal: QueueJournal;
  readonly states: RecoverableEventStates;
  readonly watch: ServerWatch;
  readonly known: KnownEvents;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly config: QueueConfig;
  /** Default: `config`'s interval and batch, fixed. */
  readonly pace?: PaceConfig;
  /** What the protected site bears. Absent: no closed loop. */
  readonly origin?: () => OriginShare;
  /** For demonstrations: so many random slots of each event are given back each tick. */
  readonly turnoverPerTick?: number;
  readonly observe?: AdmissionObserver;
}

/** Told what happens, for metrics and notices. None of these may throw. */
export interface AdmissionObserver {
  /** After the journal has them. */
  admitted?(eventId: string, slots: readonly Slot[]): void;
  ticked?(eventId: string, counts: { parked: number; returned: number; dropped: number; seconds: number }): void;
  /** This process admits nobody because it cannot write the journal, or goes on. */
  journalAway?(eventId: string, away: boolean): void;
  /** Of so many events this process is connected to a superseded server. With every run. */
  superseded?(count: number): void;
  /** Whether this process is connected to a read replica. With every run. */
  onReplica?(is: boolean): void;
}
