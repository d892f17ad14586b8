import os from 'node:os';

/** One thing measured: a rate in units per second, the higher the better. */
export interface Contender {
  readonly label: string;
  /** One run, long enough to mean something; answers the rate. */
  run(): Promise<number>;
}

export interface CompareOptions {
  readonly name: string;
  /** What is counted: `requests`, `events`. */
  readonly unit: string;
  readonly baseline: Contender;
  readonly subject: Contender;
  readonly pairs?: number;
  /** Runs of each that are left out before the first pair. */
  readonly warmUps?: number;
  /** The least acceptable subject : baseline. */
  readonly ratioMin?: number;
  /** The least acceptable rate of the subject. */
  readonly rateMin?: number;
}

export interface MeasureOptions {
  readonly name: string;
  readonly unit: string;
  readonly subject: Contender;
  readonly rounds?: number;
  /** Runs that are left out before the first round. */
  readonly warmUps?: number;
  /** The least acceptable rate. */
  readonly rateMin?: number;
}

/** The one way a benchmark says what it found. */
export interface BenchReport {
  /** Ratios travel between machines, so this is the way to prefer: both are run by turns, five times each. */
  compare(options: CompareOptions): Promise<Line>;
  /** For a promise that is a number in itself. */
  measure(options: MeasureOptions): Promise<Line>;
  /** A size or a time, the lower the better. */
  weigh(options: { name: string; subject: string; value: number; unit: string; max?: number }): Line;
  /** How it was measured, in a sentence. */
  note(text: string): void;
  /** Whether this part of the subject is measured: all are, unless some were asked for. */
  wants(part: string): boolean;
  /** So many pairs or rounds, unless another number was asked for. */
  roundsOf(usual: number): number;
}

/** What somebody who looks at one thing asks for, on the command line. */
export interface BenchWish {
  readonly only?: readonly string[];
  readonly rounds?: number;
}

export interface Line {
  readonly name: string;
  readonly subject: string;
  readonly rate: number;
  /** What is counted in a second; with `perSecond` false, what `rate` itself is. */
  readonly unit: string;
  readonly perSecond?: false;
  readonly baseline: { readonly label: string; readonly rate: number; readonly ratio: number } | null;
  readonly target: string;
  readonly met: boolean | null;
}

export interface Collected {
  readonly lines: readonly Line[];
  readonly notes: readonly string[];
}

const roundsDefault = 5;

export function createReport(
  print: (text: string) => void,
  { only, rounds: roundsWished }: BenchWish = {},
): BenchReport & { readonly collected: Collected; readonly parts: ReadonlySet<string> } {
  const lines: Line[] = [];
  const parts = new Set<string>();
  const roundsOf = (usual: number) => roundsWished ?? usual;
  const notes: string[] = [];
  const add = (line: Line) => {
    lines.push(line);
    print(describeLine(line));
    return line;
  };
  return {
    collected: { lines, notes },
    parts,
    wants(part) {
      parts.add(part);
      return only?.includes(part) ?? true;
    },
    roundsOf,
    async compare({ name, unit, baseline, subject, pairs: usual = roundsDefault, warmUps = 0, ratioMin, rateMin }) {
      const pairs = roundsOf(usual);
      for (let warmUp = 0; warmUp < warmUps; warmUp++) {
        await baseline.run();
        await subject.run();
      }
      const rates: { baseline: number; subject: number }[] = [];
      for (let pair = 0; pair < pairs; pair++) {
        // The order changes from pair to pair, so that a machine that warms up or tires favours neither.
        const first = pair % 2 === 0 ? baseline : subject;
        const firstRate = await first.run();
        const secondRate = await (first === baseline ? subject : baseline).run();
        const rate =
          first === baseline
            ? { baseline: firstRate, subject: secondRate }
            : { baseline: secondRate, subject: firstRate };
        rates.push(rate);
        print(
          `  ${name} ${pair + 1}/${pairs}: ${baseline.label} ${number(rate.baseline)}, ${subject.label} ${number(rate.subject)}`,
        );
      }
      const ratio = median(rates.map((rate) => rate.subject / rate.baseline));
      const rate = median(rates.map((each) => each.subject));
      return add({
        name,
        unit,
        subject: subject.label,
        rate,
        baseline: { label: baseline.label, rate: median(rates.map((each) => each.baseline)), ratio },
        ...verdict([
          ratioMin !== undefined && { target: `ratio ≥ ${ratioMin}`, met: ratio >= ratioMin },
          rateMin !== undefined && { target: `≥ ${number(rateMin)}/s`, met: rate >= rateMin },
        ]),
      });
    },
    async measure({ name, unit, subject, rounds: usual = roundsDefault, warmUps = 0, rateMin }) {
      const rounds = roundsOf(usual);
      for (let warmUp = 0; warmUp < warmUps; warmUp++) await subject.run();
      const rates: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const rate = await subject.run();
        rates.push(rate);
        print(`  ${name} ${round + 1}/${rounds}: ${subject.label} ${number(rate)}`);
      }
      const rate = median(rates);
      return add({
        name,
        unit,
        subject: subject.label,
        rate,
        baseline: null,
        ...verdict([rateMin !== undefined && { target: `≥ ${number(rateMin)}/s`, met: rate >= rateMin }]),
      });
    },
    weigh({ name, subject, value, unit, max }) {
      return add({
        name,
        unit,
        perSecond: false,
        subject,
        rate: value,
        baseline: null,
        ...verdict([max !== undefined && { target: `≤ ${number(max)} ${unit}`, met: value <= max }]),
      });
    },
    note(text) {
      notes.push(text);
    },
  };
}

/** All targets of a line together. */
function verdict(targets: readonly (false | { target: string; met: boolean })[]): Pick<Line, 'target' | 'met'> {
  const set = targets.filter((each) => each !== false);
  return {
    target: set.map(({ target }) => target).join(' and '),
    met: set.length === 0 ? null : set.every(({ met }) => met),
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

function describeLine(line: Line): string {
  const { name, subject, rate, baseline, target, met } = line;
  const against =
    baseline === null ? '' : ` against ${baseline.label} ${number(baseline.rate)}: ratio ${baseline.ratio.toFixed(2)}`;
  const verdict = met === null ? '' : ` (${target}: ${met ? 'met' : 'MISSED'})`;
  return `${name}: ${subject} ${number(rate)} ${unitOf(line)}${against}${verdict}`;
}

function unitOf({ unit, perSecond }: Line): string {
  return perSecond === false ? unit : `${unit}/s`;
}

/** One section of docs/benchmarks.md. */
export function renderSection(subject: string, { lines, notes }: Collected, date: string): string {
  const rows = lines.map((line) => {
    const { name, subject: label, rate, baseline, target, met } = line;
    const against = baseline === null ? '' : `${baseline.label}: ${number(baseline.rate)} ${unitOf(line)}`;
    const ratio = baseline === null ? '' : baseline.ratio.toFixed(2);
    const verdict = met === null ? '' : met ? 'yes' : 'no';
    return `| ${name} | ${label}: ${number(rate)} ${unitOf(line)} | ${against} | ${ratio} | ${target} | ${verdict} |`;
  });
  return [
    `## ${subject}`,
    '',
    `\`npm run bench -- ${subject}\` on ${date}: ${machineFacts()}.`,
    '',
    '| what | measured | against | ratio | target | met |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
    ...(notes.length === 0 ? [] : ['', ...notes.map((note) => `- ${note}`)]),
  ].join('\n');
}

/** Puts the section in the place of the one before it, or at the end. */
export function replaceSection(document: string, subject: string, section: string): string {
  const [begin, end] = [`<!-- bench:${subject} -->`, `<!-- /bench:${subject} -->`];
  const block = `${begin}\n${section}\n${end}`;
  const from = document.indexOf(begin);
  const to = document.indexOf(end);
  if (from < 0 || to < from) return `${document.trimEnd()}\n\n${block}\n`;
  return document.slice(0, from) + block + document.slice(to + end.length);
}

function machineFacts(): string {
  const memoryGb = Math.round(os.totalmem() / 2 ** 30);
  const model = os.cpus()[0]?.model.trim() ?? 'unknown processor';
  return `${os.availableParallelism()} cores (${model}), ${memoryGb} GB, ${os.platform()} ${os.arch()}, Node ${process.version}`;
}

function number(value: number): string {
  return (value < 10 ? Math.round(value * 100) / 100 : Math.round(value)).toLocaleString('en-US');
}
