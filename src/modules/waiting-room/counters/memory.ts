import type { Clock } from '#platform/clock.ts';
import { type Counters, type CountersRead, catchUpMaxMs, type NotThis, proofKeptMs } from '../ports.ts';

interface State {
  readonly epoch: number;
  readonly lineOffset: number;
  given: number;
  bound: number;
  serving: number;
  /** Parts of a person that the rate has earned. */
  credit: number;
  advancedAtMs: number | null;
  lease: { owner: string; untilMs: number } | null;
}

export interface MemoryCounters extends Counters {
  /** Loses everything, as the end of the process does. */
  forget(): void;
}

/** The counters of a lone process. They end with it; the durable bound is what goes on. */
export function createMemoryCounters({ clock }: { clock: Clock }): MemoryCounters {
  const states = new Map<string, State>();

  const usedProofs = new Map<string, Map<string, number>>();

  /** Those of a room that are still remembered: the earliest stand first. */
  function proofsOf(eventId: string, nowMs: number): Map<string, number> {
    const used = usedProofs.get(eventId) ?? new Map<string, number>();
    usedProofs.set(eventId, used);
    for (const [proof, untilMs] of used) {
      if (untilMs > nowMs) break;
      used.delete(proof);
    }
    return used;
  }

  function stateOf({ eventId, epoch }: { eventId: string; epoch: number }): State | NotThis {
    const state = states.get(eventId);
    if (state === undefined || state.epoch < epoch) return lost;
    if (state.epoch === epoch) return state;
    return { status: 'superseded', epoch: state.epoch, bound: state.bound };
  }

  return {
    async begin({ eventId, epoch, first, bound, lineOffset, serving }) {
      if ((states.get(eventId)?.epoch ?? 0) >= epoch) return;
      const counts = { epoch, lineOffset, given: first, bound, serving };
      states.set(eventId, { ...counts, credit: 0, advancedAtMs: null, lease: null });
    },

    async assign(call) {
      const state = stateOf(call);
      if ('status' in state) return state;
      const { count, proofs = [], nowMs = clock.now() } = call;
      const free = Math.max(0, state.bound - state.given);
      const used = proofsOf(call.eventId, nowMs);
      const refused: number[] = [];
      let granted = proofs.length === 0 ? Math.min(count, free) : 0;
      for (const [place, proof] of proofs.entries()) {
        if (granted === free) break;
        if (proof !== '' && used.has(proof)) refused.push(place);
        else granted += 1;
        if (proof !== '' && !used.has(proof)) used.set(proof, nowMs + proofKeptMs);
      }
      const first = state.given + 1;
      state.given += granted;
      return { status: 'ok', first, granted, refused };
    },

    async raiseBound(call) {
      const state = stateOf(call);
      if (!('status' in state)) state.bound = Math.max(state.bound, call.bound);
    },

    async advance(call) {
      const state = stateOf(call);
      if ('status' in state) return state;
      const { owner, leaseMs, ratePerSecond, nowMs = clock.now() } = call;
      const { lease } = state;
      const leftMs = lease === null || lease.owner === owner ? 0 : lease.untilMs - nowMs;
      // One that would last longer was taken before the clock was set back.
      if (leftMs > 0 && leftMs <= leaseMs) return { status: 'held' };
      state.lease = { owner, untilMs: nowMs + leaseMs };
      const elapsedMs = Math.max(0, Math.min(nowMs - (state.advancedAtMs ?? nowMs), catchUpMaxMs));
      state.advancedAtMs = nowMs;
      // Nothing that was saved up is left for a line that is to stand still.
      state.credit = ratePerSecond === 0 ? 0 : state.credit + (ratePerSecond * elapsedMs) / 1000;
      const by = serveInto(state, Math.floor(state.credit));
      state.credit -= by;
      // Nobody waits, so nothing is saved up.
      if (state.serving === state.lineOffset + state.given) state.credit = Math.min(state.credit, 1);
      return shown(state);
    },

    async serve(call) {
      const state = stateOf(call);
      if ('status' in state) return state;
      serveInto(state, call.by);
      return shown(state);
    },

    async read(call) {
      const state = stateOf(call);
      return 'status' in state ? state : shown(state);
    },

    forget() {
      states.clear();
      usedProofs.clear();
    },
  };
}

const lost: NotThis = { status: 'lost' };

function serveInto(state: State, wanted: number): number {
  const by = Math.max(0, Math.min(wanted, state.lineOffset + state.given - state.serving));
  state.serving += by;
  return by;
}

function shown({ given, bound, serving }: State): CountersRead {
  return { status: 'ok', given, bound, serving };
}
