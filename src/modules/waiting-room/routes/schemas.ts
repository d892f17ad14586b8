import { type TSchema, Type } from 'typebox';
import { uuidPattern } from '#platform/ids.ts';
import { Count, exactly, line, nullable, oneOf, Time } from '#platform/schemas.ts';
import { phases } from '../domain/room.ts';

/** An event, or `*` for the room in front of the whole site. */
const RoomId = Type.String({ pattern: `${uuidPattern}|^\\*$`, maxLength: 36 });
export const roomParams = exactly({ eventId: RoomId });
const RequestIdText = Type.String({ minLength: 1, maxLength: 400 });
export const checkParams = exactly({ eventId: RoomId, requestId: RequestIdText });
export const traceParams = exactly({ requestId: RequestIdText });

const Beacon = oneOf(['drand', 'operator'], {
  description: 'operator: no public randomness, the operator has to be trusted',
});
/** What an operator says of a draw: the rest is drawn or follows by rule. */
export interface DrawOrder {
  readonly beacon: 'drand' | 'operator';
  readonly signInRequired?: boolean;
}

const place = {
  requestId: Type.String({ description: 'keeps the number: show it to `checkWaitingRoom`. The cookie holds the same' }),
  era: Count,
  position: nullable(
    Type.Integer({ description: 'the number, in its era. null, as `line` and `ahead`: a draw has yet to give it' }),
  ),
  line: nullable(Type.Integer({ description: 'the place in the whole line; compare it with `servingLine`' })),
  ahead: nullable(Count),
  entry: nullable(Type.Integer({ description: 'in a draw, from 0' })),
  servingCounter: Type.Integer({ description: 'up to this number of the same era everybody may go on' }),
  servingLine: Count,
  estimatedWait: nullable(Type.Number({ description: 'seconds. null: the line stands still' })),
  nextPoll: Type.Number({ description: 'seconds until it is worth looking again' }),
};

const Hash = Type.String({ description: 'hexadecimal' });

export const AssignAnswer = Type.Object({
  ...place,
  receipt: Type.Optional(
    Type.Object({}, { additionalProperties: true, description: 'proves the entry in a draw. Told once: keep it' }),
  ),
});
export const CheckAnswer = Type.Object({
  admitted: Type.Boolean(),
  token: Type.Optional(Type.String({ description: 'where admitted: the pass, good for ten minutes' })),
  ...place,
});

export const RoomStatusDocument = Type.Object({
  eventId: Type.String(),
  isActive: Type.Boolean(),
  totalInQueue: Type.Integer({ description: 'the last number that was given in this era' }),
  serving: Type.Integer({ description: 'up to this number of the present era everybody may go on' }),
  servingLine: Type.Integer({ description: 'the same as a place in the whole line' }),
  waitingCount: Count,
  rate: Type.Number({ description: 'people a second' }),
  phase: oneOf(phases),
  opensAt: nullable(Time),
  soldOut: Type.Boolean(),
  message: nullable(Type.String({ description: 'from the operator' })),
  draw: nullable(
    Type.Object({
      era: Count,
      commitment: Type.String({ description: 'SHA-256 of the secret' }),
      beacon: Beacon,
      signInRequired: Type.Boolean(),
      entries: Type.Integer({ description: 'so far; from the freeze on N' }),
      head: Type.String({ description: 'of the log of entries' }),
      frozenAt: nullable(Time),
      round: nullable(Type.Integer({ description: 'of the beacon, whose value counts' })),
      seed: nullable(Hash),
      lineOffset: Type.Integer({ description: 'place in the whole line of number 0' }),
      void: nullable(oneOf(['unrevealed', 'reset'])),
    }),
  ),
});

export const PublishedDrawDocument = Type.Object({
  format: Type.Literal('urr.draw.1'),
  eventId: Type.String(),
  era: Count,
  announcedAtMs: Type.Integer(),
  commitment: Hash,
  receiptKey: Hash,
  signInRequired: Type.Boolean(),
  beacon: Type.Object({ kind: Beacon }, { additionalProperties: true }),
  head: Hash,
  batches: Type.Array(Type.Array(Type.Unsafe<number | string>({ type: ['integer', 'string'] })), {
    description: 'first entry, how many, root of their tree',
  }),
  frozen: nullable(Type.Object({ atMs: Type.Integer(), entries: Count, head: Hash, round: Type.Integer() })),
  revealed: nullable(
    Type.Object({
      ...{ atMs: Type.Integer(), secret: Hash, round: Type.Integer(), value: Hash, signature: Hash, seed: Hash },
    }),
  ),
  voids: Type.Array(
    Type.Object({
      era: Count,
      atMs: Type.Integer(),
      entries: Count,
      head: Hash,
      reason: oneOf(['unrevealed', 'reset']),
    }),
  ),
});

const rateMax = 100_000;
const rampStepsMax = 100;
export const Rate = Type.Number({ minimum: 0, maximum: rateMax, description: 'people a second' });
export const Ramp = Type.Array(exactly({ at: Time, rate: Rate }), { minItems: 1, maxItems: rampStepsMax });

export const RoomOverview = Type.Object({
  eventId: Type.String(),
  title: Type.String(),
  isActive: Type.Boolean(),
  phase: oneOf(phases),
  era: Count,
  epoch: Count,
  totalInQueue: Count,
  serving: Count,
  servingLine: Count,
  lastLine: Count,
  waitingCount: Count,
  rate: Type.Union([Type.Number(), Type.Literal('auto'), Type.Null()], {
    description: 'people a second as set; `auto`: by the line behind. null: as configured',
  }),
  ramp: Type.Union([Ramp, Type.Null()]),
  admitWithinSeconds: Count,
  soldOut: Type.Boolean(),
  rateNow: Type.Number({ description: 'people a second at this moment' }),
  measuredRate: nullable(Type.Number()),
  paused: Type.Boolean(),
  opensAt: nullable(Time),
  closesAt: nullable(Time),
  message: nullable(Type.String()),
  failMode: oneOf(['open', 'closed']),
  proofDigits: nullable(Type.Integer()),
  draw: nullable(
    Type.Object({
      stage: oneOf(['entering', 'frozen', 'drawn', 'void']),
      beacon: Beacon,
      signInRequired: Type.Boolean(),
      entries: Count,
      round: nullable(Type.Integer()),
    }),
  ),
});

export const RequestTrace = Type.Object({
  eventId: Type.String(),
  era: Count,
  position: nullable(Count),
  entry: nullable(Count),
  visitor: Type.String(),
  issuedAt: Time,
  endsAt: nullable(Time),
  line: nullable(Count),
  servingLine: nullable(Count),
  ahead: nullable(Count),
  state: oneOf(['over', 'off', 'served', 'drawing', 'waiting']),
  why: Type.String(),
});

export const ChallengeDocument = Type.Object({
  parameters: Type.Object({
    algorithm: Type.String(),
    nonce: Type.String({ description: 'hexadecimal, as the next one' }),
    salt: Type.String(),
    cost: Type.Integer(),
    keyLength: Type.Integer(),
    keyPrefix: Type.String({ description: 'what a solution begins with' }),
    expiresAt: Type.Integer({ description: 'seconds since 1970' }),
    data: Type.Object({ eventId: Type.String() }),
  }),
  signature: Type.String(),
});

const wordsMax = 80;
const bodyMax = 400;
const inBoth = <Words extends TSchema>(words: Words) => exactly({ ko: words, en: words });
/** Six hexadecimal digits: nothing else can be smuggled into a style. */
const Colour = Type.String({ pattern: '^#[0-9a-fA-F]{6}$', maxLength: 7 });
/** A picture at an address of https, or of this site; nothing that runs. */
const Picture = Type.String({
  pattern: '^(?:https://[a-zA-Z0-9]|/[a-zA-Z0-9])[a-zA-Z0-9._~:/?=&%+@-]*$',
  maxLength: 500,
});

export const BrandingDocument = exactly({
  name: nullable(line(wordsMax)),
  logo: nullable(Picture),
  title: inBoth(nullable(line(wordsMax))),
  heading: inBoth(nullable(line(wordsMax))),
  body: inBoth(nullable(line(bodyMax))),
  colours: exactly({ accent: nullable(Colour), onAccent: nullable(Colour) }),
});
