import { createSeededRandom, type SeededRandom } from '#test/kit/seeded-random.ts';
import type { TopicName } from './cast.ts';
import { type ChildName, childNames } from './children.ts';
import { handlerPoisons, undecodable } from './poison.ts';

/** What happens in a chaos run, and when. Nothing in it depends on anything but the seed, so a run can be played again. */
export interface Step {
  readonly atMs: number;
  readonly fault: Fault;
}

export type Fault =
  | { readonly kind: 'freeze-child'; readonly child: ChildName; readonly forMs: number }
  | { readonly kind: 'kill-child' | 'stop-child'; readonly child: ChildName; readonly forMs: number }
  | { readonly kind: 'end-lock-session'; readonly draw: number }
  | { readonly kind: 'freeze-broker' | 'freeze-postgres'; readonly forMs: number }
  | { readonly kind: 'restart-broker' | 'kill-broker' | 'restart-postgres' | 'kill-postgres'; readonly forMs: number }
  | { readonly kind: 'delete-topic' }
  | { readonly kind: 'delete-dead-letter-topic'; readonly draw: number }
  | { readonly kind: 'oversized-row'; readonly forMs: number; readonly drop: boolean }
  | { readonly kind: 'grow-partitions'; readonly pauseMs: number }
  | {
      readonly kind: 'poison';
      readonly poison: string;
      readonly topic: TopicName;
      /** When it is mended; null: a person drops it at the end. */
      readonly mendedAfterMs: number | null;
    };

export type AdapterName = 'kafka' | 'embedded';

/** In one round everything happens once. A minute of it mixes them well and lets most of them end before the next begins. */
const roundMs = 60_000;
/** Beyond the 10 s after which peers end the session of a silent holder. */
const frozenMs = [11_000, 14_000] as const;

export function planChaos(options: { seed: number; ms: number; adapter: AdapterName }): Step[] {
  const random = createSeededRandom(options.seed);
  const rounds = Math.max(1, Math.floor(options.ms / roundMs));
  const lengthMs = options.ms / rounds;
  return Array.from({ length: rounds }, (_, round) => {
    const faults = random.shuffle([
      ...faultsOfOneRound(random, { ...options, lengthMs }),
      // Partitions become more once: a topic never shrinks.
      ...(round === 0 ? [{ kind: 'grow-partitions' as const, pauseMs: random.between(500, 2_000) }] : []),
    ]);
    const everyMs = lengthMs / faults.length;
    return faults.map((fault, index) => ({
      atMs: Math.round(round * lengthMs + (index + random.fraction()) * everyMs),
      fault,
    }));
  }).flat();
}

function faultsOfOneRound(
  random: SeededRandom,
  { adapter, lengthMs }: { adapter: AdapterName; lengthMs: number },
): Fault[] {
  const childFaults: Fault[] = [
    ...(['relay', 'consumer', random.pick(['first', 'second'] as const)] as const).map((child) => ({
      kind: 'freeze-child' as const,
      child,
      forMs: random.between(...frozenMs),
    })),
    { kind: 'kill-child', child: random.pick(childNames), forMs: random.between(0, 3_000) },
    { kind: 'kill-child', child: random.pick(childNames), forMs: random.between(0, 3_000) },
    { kind: 'stop-child', child: random.pick(childNames), forMs: random.between(0, 3_000) },
  ];
  const engineFaults: Fault[] = [
    { kind: 'end-lock-session', draw: random.fraction() },
    { kind: 'end-lock-session', draw: random.fraction() },
    { kind: 'freeze-postgres', forMs: random.between(2_000, 5_000) },
    { kind: random.pick(['restart-postgres', 'kill-postgres'] as const), forMs: random.between(0, 2_000) },
  ];
  return [
    ...childFaults,
    ...engineFaults,
    ...poisons(random, lengthMs),
    ...(adapter === 'kafka' ? brokerFaults(random) : []),
  ];
}

function brokerFaults(random: SeededRandom): Fault[] {
  return [
    { kind: 'freeze-broker', forMs: random.between(3_000, 12_000) },
    { kind: 'restart-broker', forMs: random.between(0, 2_000) },
    { kind: 'kill-broker', forMs: random.between(0, 2_000) },
    { kind: 'delete-topic' },
    { kind: 'delete-dead-letter-topic', draw: random.fraction() },
    { kind: 'oversized-row', forMs: random.between(3_000, 8_000), drop: random.fraction() < 0.3 },
  ];
}

function poisons(random: SeededRandom, lengthMs: number): Fault[] {
  return [...handlerPoisons, undecodable].map((poison) => ({
    kind: 'poison',
    poison,
    topic: random.pick(['transfers', 'orders'] as const),
    mendedAfterMs:
      poison === undecodable || random.fraction() < 0.3
        ? null
        : random.between(1_000, Math.max(1_000, Math.round(lengthMs / 4))),
  }));
}

export function describeStep({ atMs, fault: { kind, ...details } }: Step): string {
  return `${(atMs / 1_000).toFixed(1).padStart(6)} s  ${kind} ${JSON.stringify(details)}`;
}
