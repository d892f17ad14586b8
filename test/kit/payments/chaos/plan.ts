import { type SandboxBehaviour, sandboxCards } from '#modules/payments/domain/sandbox-cards.ts';
import { createSeededRandom, type SeededRandom } from '#test/kit/seeded-random.ts';

/** Everything that happens in a chaos run. Nothing in it depends on anything but the seed, so a run can be played again. */
export interface ChaosPlan {
  readonly purchases: readonly Purchase[];
  /** Lanes run beside each other; the faults of one come one after the other. */
  readonly lanes: readonly (readonly Fault[])[];
}

export interface Purchase {
  readonly number: number;
  readonly seatCount: number;
  /** Asks first for the seats of somebody who came earlier, who may have given them back. */
  readonly wantsSeatsOf: number | null;
  readonly method: 'card' | 'virtual_account';
  /** Tried one after the other, as long as they are declined. Of a virtual account: none. */
  readonly cards: readonly string[];
  /** `never-pays`: only holds. `two-tabs`: pays twice at once. `both-methods`: opens an account beside the card. */
  readonly mood: 'plain' | 'never-pays' | 'two-tabs' | 'both-methods' | 'cancels-while-paying';
  readonly after: 'keeps' | 'cancels' | 'cancels-one';
  /**
   * What comes to a virtual account. `late`: a deposit when all has become quiet. `reversed`: one that is taken back then, or at once.
   * `again`: one that is taken back at once and comes again when all is quiet.
   */
  readonly bank: 'in-time' | 'never' | 'late' | 'reversed' | 'reversed-at-once' | 'again';
}

export const engineNames = ['kafka', 'redis', 'postgres'] as const;
export type EngineName = (typeof engineNames)[number];
/** `payments-2` has the same role as `payments`, no door, and goes on when that one is frozen. */
export const roleNames = ['gateway', 'queue', 'ticketing', 'payments', 'payments-2', 'catalog'] as const;
export type RoleName = (typeof roleNames)[number];

export type Fault =
  | { readonly at: EngineName | RoleName; readonly kind: 'kill' | 'freeze' | 'restart'; readonly forMs: number }
  | { readonly at: 'provider'; readonly kind: 'away' | 'hangs'; readonly forMs: number };

const cardOf = (behaviour: SandboxBehaviour) => sandboxCards.find((card) => card.behaviour === behaviour)?.number ?? '';
const declining = (['declines', 'declines_funds', 'declines_expired_card', 'declines_limit'] as const).map(cardOf);
const misbehaving = sandboxCards.map(({ number }) => number).filter((number) => !declining.includes(number));

export function planPaymentsChaos(options: { seed: number; purchases: number; isShort: boolean }): ChaosPlan {
  const random = createSeededRandom(options.seed);
  return {
    purchases: Array.from({ length: options.purchases }, (_, number) => planPurchase(random, number)),
    lanes: planLanes(random, options.isShort),
  };
}

/** One of these, by their weights. */
function weighed<T extends string>(random: SeededRandom, weights: Readonly<Record<T, number>>): T {
  // The keys of that very record.
  const names = Object.keys(weights) as T[];
  let rest = random.fraction() * names.reduce((sum, name) => sum + weights[name], 0);
  for (const name of names) {
    rest -= weights[name];
    if (rest < 0) return name;
  }
  return random.pick(names);
}

function planPurchase(random: SeededRandom, number: number): Purchase {
  const method = random.fraction() < 0.25 ? 'virtual_account' : 'card';
  const declined = Array.from({ length: random.pick([0, 0, 0, 0, 0, 0, 1, 1, 1, 2]) }, () => random.pick(declining));
  const last = random.fraction() < 0.35 ? cardOf('approves') : random.pick(misbehaving);
  return {
    number,
    seatCount: random.between(1, 3),
    wantsSeatsOf: number > 10 && random.fraction() < 0.2 ? random.between(0, number - 10) : null,
    method,
    cards: method === 'card' ? [...declined, last] : [],
    mood: weighed(random, {
      ...{ plain: 12, 'never-pays': 1, 'two-tabs': 2, 'both-methods': 1, 'cancels-while-paying': 3 },
    }),
    after: weighed(random, { keeps: 5, cancels: 3, 'cancels-one': 2 }),
    bank: weighed(random, { 'in-time': 4, never: 2, late: 2, reversed: 2, 'reversed-at-once': 1, again: 1 }),
  };
}

/** Longer than the 10 s after which a silent process loses its partitions, and shorter. */
const frozenMs: Range = [2_000, 12_000];
const goneMs: Range = [0, 4_000];
const shortMs: Range = [1_000, 3_000];
type Range = readonly [number, number];

function planLanes(random: SeededRandom, isShort: boolean): Fault[][] {
  const kinds = ['kill', 'freeze', 'restart'] as const;
  const faultOf = (at: EngineName | RoleName, kind: (typeof kinds)[number]): Fault => ({
    ...{ at, kind },
    forMs: random.between(...(isShort ? shortMs : kind === 'freeze' ? frozenMs : goneMs)),
  });
  const kindsOf = () => (isShort ? [random.pick(['kill', 'freeze'] as const)] : kinds);
  const provider = (['away', 'hangs'] as const).map((kind) => ({
    ...{ at: 'provider' as const, kind },
    forMs: isShort ? 2_000 : random.between(3_000, 10_000),
  }));
  const engines = engineNames.flatMap((at) => kindsOf().map((kind) => faultOf(at, kind)));
  const roles = roleNames
    .filter((name) => !isShort || !['catalog', 'payments-2'].includes(name))
    .flatMap((at) => kindsOf().map((kind) => faultOf(at, kind)));
  return [random.shuffle([...engines, ...(isShort ? [random.pick(provider)] : provider)]), random.shuffle(roles)];
}

export function describeFault({ at, kind, forMs }: Fault): string {
  return `${kind} ${at} for ${forMs} ms`;
}
