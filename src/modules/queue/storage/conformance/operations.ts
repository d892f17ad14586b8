import fc from 'fast-check';
import type { EnterCall, LateChange, QueueSettings } from '../../ports.ts';

/** What may happen to an event, with users by index and times in milliseconds. Printed as it is when a run fails. */
export type Operation =
  | { readonly do: 'wait'; readonly ms: number }
  /** The clock of the stores. */
  | { readonly do: 'setBack'; readonly ms: number }
  /**
   * Time with admission steps in it, so that absence counts; those awake give signs of life, but claim nothing. Processes
   * that are known to flush do so, but for the silent ones.
   */
  | {
      readonly do: 'tick';
      readonly times: number;
      readonly admitMax: number;
      readonly awake: readonly number[];
      readonly silent: readonly string[];
    }
  | { readonly do: 'flush'; readonly by: string; readonly isLeaving: boolean }
  | ({ readonly do: 'enter' } & Entry)
  /** All in one turn, so that a store may take them together; answered as if they came one after the other. */
  | { readonly do: 'rush'; readonly entries: readonly Entry[] }
  | { readonly do: 'touch'; readonly users: readonly number[] }
  | { readonly do: 'leave'; readonly user: number }
  /** By the id of the user's slot, or by one that it does not have. */
  | { readonly do: 'claim'; readonly user: number; readonly wrongId: boolean }
  /** By the id of the user's slot, or by one that it does not have. */
  | { readonly do: 'endSlot'; readonly user: number; readonly wrongId: boolean }
  | {
      readonly do: 'admit';
      readonly admitMax: number;
      readonly parkMax: number;
      readonly activeTtlMs: number;
      readonly activeSeenTtlMs: number | null;
    }
  | { readonly do: 'forget'; readonly seenTtlMs: number; readonly limit: number }
  | { readonly do: 'configure'; readonly changes: Partial<QueueSettings> }
  /** Of those who are there now, or up to where the clearing before it had begun. */
  | { readonly do: 'clear'; readonly limit: number; readonly goesOn: boolean }
  | { readonly do: 'hold'; readonly forMs: number }
  /** By so many versions and eras on from the last one that was told; `pastRoom` of an entry is what it is for. */
  | { readonly do: 'switchRoom'; readonly on: boolean; readonly by: number }
  | { readonly do: 'dropIdle' }
  | { readonly do: 'endRecovery'; readonly wrongEpoch: boolean }
  /** The journal takes some changes, or none and only proves that it could. */
  | { readonly do: 'journal'; readonly limit: number }
  | { readonly do: 'lock' | 'unlock'; readonly owner: 'one' | 'two' }
  /** Only when nobody needs it there; `late`: by one who means the epoch before. */
  | { readonly do: 'remove'; readonly late: boolean }
  /** The store loses everything; `noticed`: it is begun again from the journal before anything else happens. */
  | { readonly do: 'lose'; readonly noticed: boolean; readonly recoveringMs: number }
  /** From the journal, with the next epoch, whatever the store has. */
  | { readonly do: 'begin'; readonly recoveringMs: number }
  /** Some of what was ever seen of slots is told late: in this epoch, in a later one, or of another than is there. */
  | { readonly do: 'merge'; readonly late: readonly LateNews[]; readonly wrongEpoch: boolean }
  /** With the epoch that is there, as a process does that was slower. */
  | { readonly do: 'beginAgain' };

/** Of the slot so many before the last one that was seen. */
export interface LateNews {
  readonly kind: LateChange['kind'];
  readonly slot: number;
  readonly claimed: boolean;
}

export interface Entry {
  readonly user: number;
  readonly mode: EnterCall['mode'];
  readonly unattended: boolean;
  readonly withoutSlot: boolean;
  readonly lane: 0 | 1;
  /** Which of the tickets that this user ever got, the last one first; null: none. */
  readonly ticket: number | null;
  readonly numbered: number | null;
  readonly roomOn: boolean;
  readonly pastRoom: boolean;
}

export const userCount = 8;
/** More than any store takes in one step. */
const rushMax = 150;
/** So few that users meet at the same number. */
const numbersMax = 6;

const user = fc.nat({ max: userCount - 1 });
/** Around every limit that the stores know, on both sides. */
const someMs = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(0, 1, 999, 1_000, 5_000) },
  { weight: 1, arbitrary: fc.constantFrom(5_001, 29_999, 30_000, 89_999, 90_000, 120_000, 600_000) },
);

const entry = {
  user,
  mode: fc.constantFrom<EnterCall['mode'][]>('enter', 'enter', 'enter', 'look', 'look', 'return'),
  unattended: fc.constantFrom(false, false, false, false, true),
  withoutSlot: fc.constantFrom(false, false, false, false, true),
  lane: fc.constantFrom<(0 | 1)[]>(0, 1, 1, 1),
  ticket: fc.option(fc.nat({ max: 2 }), { freq: 3 }),
  numbered: fc.oneof(
    { weight: 5, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: numbersMax }) },
  ),
  roomOn: fc.constantFrom(false, false, false, false, false, true),
  pastRoom: fc.boolean(),
};
const someEntries = (lengths: { minLength: number; maxLength: number }) =>
  fc.array(fc.record(entry), { ...lengths, size: 'max' });

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('wait'), ms: someMs }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('tick'),
      times: fc.constantFrom(1, 6, 18, 24, 25),
      admitMax: fc.constantFrom(0, 1, 100),
      awake: fc.subarray(Array.from({ length: userCount }, (_, index) => index)),
      silent: fc.constantFrom<string[][]>([], [], [], ['one'], ['one', 'two']),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('flush'),
      by: fc.constantFrom('one', 'two'),
      isLeaving: fc.constantFrom(false, false, true),
    }),
  },
  { weight: 36, arbitrary: fc.record({ do: fc.constant('enter'), ...entry }) },
  {
    weight: 7,
    arbitrary: fc.record({ do: fc.constant('rush'), entries: someEntries({ minLength: 2, maxLength: 2 * userCount }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('rush'), entries: someEntries({ minLength: 60, maxLength: rushMax }) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('touch'), users: fc.array(user, { maxLength: userCount, size: 'max' }) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('leave'), user }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('endSlot'), user, wrongId: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('claim'), user, wrongId: fc.boolean() }) },
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('admit'),
      admitMax: fc.integer({ min: 1, max: 4 }),
      parkMax: fc.integer({ min: 1, max: 4 }),
      activeTtlMs: fc.constantFrom(20_000, 200_000),
      activeSeenTtlMs: fc.constantFrom(null, null, 30_000),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('forget'),
      seenTtlMs: fc.constantFrom(1, 90_000, 600_000),
      limit: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('configure'),
      changes: fc.oneof(
        { weight: 4, arbitrary: fc.record({ threshold: fc.constantFrom(0, 1, 1, 2, 3, 5) }) },
        fc.record({ paused: fc.constantFrom(false, false, false, true) }),
        fc.record({ closed: fc.constantFrom(false, false, false, true) }),
        fc.record({ message: fc.constantFrom(null, '', '곧 열립니다') }),
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('clear'), limit: fc.integer({ min: 0, max: 2 }), goesOn: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('hold'), forMs: fc.constantFrom(1, 4_000) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('switchRoom'),
      on: fc.constantFrom(false, false, true),
      by: fc.integer({ min: -1, max: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('dropIdle') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('endRecovery'), wrongEpoch: fc.boolean() }) },
  {
    weight: 9,
    arbitrary: fc.record({ do: fc.constant('journal'), limit: fc.constantFrom(0, 1, 3, 1_000, 1_000, 1_000) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('lock', 'unlock'), owner: fc.constantFrom('one', 'two') }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('lose'),
      noticed: fc.constantFrom(true, true, true, false),
      recoveringMs: fc.constantFrom(0, 0, 75_000),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove'), late: fc.constantFrom(false, false, true) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('begin'), recoveringMs: fc.constantFrom(0, 0, 75_000) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('merge'),
      late: fc.array(
        fc.record({
          kind: fc.constantFrom<LateChange['kind'][]>('slot', 'slot', 'slot', 'slot-ended', 'spent', 'place'),
          slot: fc.nat({ max: 5 }),
          claimed: fc.boolean(),
        }),
        { minLength: 1, maxLength: 4 },
      ),
      wrongEpoch: fc.constantFrom(false, false, false, false, true),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('beginAgain') }) },
);

/** Of most laws nothing is left when times lie ahead, so only one run in some has such steps. */
const clockStep: fc.Arbitrary<Operation> = fc.record({
  do: fc.constant('setBack'),
  ms: fc.constantFrom(1, 5_000, 5_001, 30_000, 600_000),
});
const oddOperation = fc.oneof({ weight: 30, arbitrary: operation }, { weight: 1, arbitrary: clockStep });
const lengths = { minLength: 1, maxLength: 100, size: 'max' } as const;

export const operations: fc.Arbitrary<Operation[]> = fc.oneof(
  { weight: 5, arbitrary: fc.array(operation, lengths) },
  { weight: 1, arbitrary: fc.array(oddOperation, lengths) },
);
