export interface WaitEstimate {
  /** The wait that is as likely too long as too short. Null: nobody can know, the queue stands still by order. */
  readonly seconds: number | null;
  /** Nine in ten wait no longer than this. */
  readonly highSeconds: number | null;
}

/** What a snapshot of the store says about the speed of the line. */
interface SnapshotFacts {
  readonly active: number;
  readonly parked: number;
  readonly settings: { readonly threshold: number; readonly paused: boolean };
  readonly recovering: boolean;
  readonly admittedPerSecond: readonly number[];
  readonly totals: { readonly admitted: number };
}

interface ConfigFacts {
  readonly activeTtlMs: number;
  readonly admissionIntervalMs: number;
  readonly admissionBatch: number;
}

/**
 * How long somebody at this position still waits.
 *
 * A queue moves at two speeds. Free slots are filled as quickly as admission works (`pace`); once all are taken, it moves
 * as slots are given back (`turnover`), which is measured over the last minute. A filling says nothing about the turnover
 * after it, so it is kept out of the measure: otherwise the first second of a sale promises everybody a minute.
 *
 * The turnover is never taken to be slower than what the settings force, since every slot ends after `activeTtl`, and never
 * quicker than what they allow: a batch at each step, and no more than there are slots.
 */
export function estimateWait(call: {
  readonly position: number;
  readonly snapshot: SnapshotFacts;
  readonly config: ConfigFacts;
}): WaitEstimate {
  const { position, snapshot, config } = call;
  const { threshold, paused } = snapshot.settings;
  if (paused || snapshot.recovering || threshold <= 0) return { seconds: null, highSeconds: null };

  const intervalSeconds = config.admissionIntervalMs / 1_000;
  const ttlSeconds = config.activeTtlMs / 1_000;
  const allowedPerSecond = Math.min(config.admissionBatch, threshold) / intervalSeconds;
  // Negative after the threshold was lowered: that many slots must end before the next person is admitted.
  const free = threshold - snapshot.active;
  const intoFree = Math.min(position, Math.max(0, free));
  const intoTurnover = position - Math.min(position, free);
  const fillSeconds = Math.ceil(intoFree / config.admissionBatch) * intervalSeconds;
  if (intoTurnover === 0) return rounded(fillSeconds, fillSeconds + intervalSeconds);

  const { perSecond, evidence, seconds: measuredSeconds } = measuredTurnover(snapshot, config);
  const forcedPerSecond = threshold / ttlSeconds;
  // After each `activeTtl` every slot of today is over, so this is a bound and not a guess.
  const latestSeconds = fillSeconds + Math.ceil((position - intoFree) / threshold) * ttlSeconds + intervalSeconds;
  const guessed = Math.min(noDataPerSecond, threshold / (ttlSeconds * noDataSlotShare), allowedPerSecond);
  if (evidence < evidenceMin && measuredSeconds < evidenceSeconds) {
    const guess = Math.max(fillSeconds + intoTurnover / guessed, noDataMinSeconds);
    return rounded(Math.min(guess, latestSeconds), latestSeconds);
  }

  const believed = withGuess({ perSecond, evidence, seconds: measuredSeconds }, guessed);
  const turnover = Math.min(Math.max(believed, forcedPerSecond), allowedPerSecond);
  const seconds = fillSeconds + (intoTurnover * presentShare(snapshot)) / turnover;
  const highSeconds =
    fillSeconds +
    (intoTurnover / turnover) * Math.exp(p90 * spread({ ahead: intoTurnover, evidence, measuredSeconds }));
  return rounded(Math.min(seconds, latestSeconds), Math.min(Math.max(highSeconds, seconds), latestSeconds));
}

/** Before anything was measured. */
const noDataPerSecond = 50;
const noDataMinSeconds = 5;
/**
 * Until slots were given back nothing is known of how long people keep them, but that it is between nothing and all of
 * their time. The middle is at most half of the truth, and what is shown with it is the bound that surely holds.
 */
const noDataSlotShare = 0.5;

/**
 * Where slots are few, a minute sees a handful given back, or none: then the guess counts as if it had been measured by some
 * more. Few are also news where many were expected.
 */
function withGuess({ perSecond, evidence, seconds }: Turnover, guessed: number): number {
  const weight = guessWeight * Math.max(0, 1 - evidence / evidenceMin);
  return (perSecond * seconds + weight) / (seconds + weight / guessed);
}

const guessWeight = 5;

/** Of the normal distribution. */
const p90 = 1.28;
/** How much a turnover that was measured for a minute tends to change while one waits, as a share of it. */
const drift = 0.2;
/** Few measured admissions and few people ahead both make a wait hard to tell. Logarithmic: waits are skewed to the long side. */
function spread(facts: { ahead: number; evidence: number; measuredSeconds: number }): number {
  const { ahead, evidence, measuredSeconds } = facts;
  return Math.sqrt(1 / ahead + 1 / (evidence + 1) + drift ** 2 * (60 / measuredSeconds));
}

function rounded(seconds: number, highSeconds: number): WaitEstimate {
  return { seconds: Math.ceil(seconds), highSeconds: Math.ceil(highSeconds) };
}

/**
 * Slots given again per second, as far as they lie within the last minute: before the first of them the slots were being
 * filled, or nobody was admitted at all, and neither says anything. Counted in pieces of some seconds; a piece far above the
 * usual one was a filling (a pause that ended, a raised threshold) and counts as a usual one. Later pieces weigh more.
 */
function measuredTurnover(snapshot: SnapshotFacts, config: ConfigFacts): Turnover {
  const seconds = sinceFirstTurnover(snapshot);
  const pieceSeconds = config.admissionIntervalMs <= 2_500 ? 5 : 15;
  const pieces = ratesOf(seconds, pieceSeconds);
  const usualMax = median(pieces) * fillingFactor + fillingSlack / pieceSeconds;
  let weights = 0;
  let weighted = 0;
  let evidence = 0;
  for (const [index, piece] of pieces.entries()) {
    const weight = 1 + index / pieces.length;
    const usual = Math.min(piece, usualMax);
    weights += weight;
    weighted += weight * usual;
    evidence += usual * pieceSeconds;
  }
  return { perSecond: weights === 0 ? 0 : weighted / weights, evidence, seconds: seconds.length };
}

interface Turnover {
  readonly perSecond: number;
  /** How many admissions it was measured by. */
  readonly evidence: number;
  /** And over how many seconds. */
  readonly seconds: number;
}

/** Some were given again, or hardly anybody gave one back for a while: both say something. */
const evidenceMin = 20;
const evidenceSeconds = 15;

/** Fewer given than held: they were given before the store was lost, and whatever was given since then is turnover. */
function sinceFirstTurnover({ totals, active, admittedPerSecond }: SnapshotFacts): readonly number[] {
  const givenAgain = totals.admitted < active ? Number.POSITIVE_INFINITY : totals.admitted - active;
  const first = admittedPerSecond.findIndex((count) => count > 0);
  if (givenAgain === 0) return [];
  let sum = 0;
  let from = admittedPerSecond.length;
  while (from > Math.max(first, 0) && sum < givenAgain) {
    from -= 1;
    sum += admittedPerSecond[from] ?? 0;
  }
  // What was given before them in the same second was filling.
  const [earliest = 0, ...later] = admittedPerSecond.slice(from);
  return [earliest - Math.max(0, sum - givenAgain), ...later];
}

const fillingFactor = 2.5;
const fillingSlack = 3;

/** Per second, in pieces of this size counted from the end; the first may be shorter. */
function ratesOf(values: readonly number[], size: number): number[] {
  const rates: number[] = [];
  for (let to = values.length; to > 0; to -= size) {
    const piece = values.slice(Math.max(0, to - size), to);
    rates.unshift(piece.reduce((sum, value) => sum + value, 0) / piece.length);
  }
  return rates;
}

function median(values: readonly number[]): number {
  if (values.length === 0) return 0;
  const sorted = values.toSorted((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2;
}

/**
 * Some of those ahead are away and will be passed over, about as many as so far. Cautiously: with little experience, or
 * where many have just gone to sleep together, most of those ahead are taken to be there.
 */
function presentShare(snapshot: SnapshotFacts): number {
  const met = snapshot.totals.admitted + presentPrior;
  return Math.max(presentShareMin, met / (met + snapshot.parked));
}

const presentPrior = 200;
const presentShareMin = 0.7;
