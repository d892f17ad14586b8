import { readFile } from 'node:fs/promises';
import { type Parsed, parseDraw, parseReceipt } from '#edge/draw/parse.ts';
import { type Check, verifyDraw } from '#edge/draw/verify.ts';
import { verifyWithWebCrypto } from '#edge/draw/web-signatures.ts';
import { sayCheck, sayVerdict } from '#edge/draw/words.ts';
import { type Command, exitCodes, UsageProblem } from './command.ts';

export const verifyDrawCommand: Command = {
  name: 'verify-draw',
  summary: 'Check a published draw, and a receipt of it, without trusting who published them.',
  usage: 'verify-draw FILE|ADDRESS [--receipt FILE] [--beacon ADDRESS]',
  help: `
Reads what the operator of a draw published, from a file or an address, and says in plain words what it has checked: the
log of entries and its head, the round of the public beacon, the secret, the seed; with a receipt also its signature, its
place in the log and the number that was drawn for it. It needs no database and no configuration.
The exit code is 0 only if everything holds and the draw is over. docs/guides/draw.md says what that proves.

  --receipt FILE     what the waiting page of a visitor kept
  --beacon ADDRESS   ask the beacon itself for its value, such as https://api.drand.sh

  urr verify-draw draw.json --receipt receipt.json --beacon https://api.drand.sh`,
  options: { receipt: { type: 'string' }, beacon: { type: 'string' } },
  takesWords: true,
  async run(input) {
    const [source, ...more] = input.words;
    const { receipt: receiptFile, beacon } = input.values;
    if (source === undefined || more.length > 0) throw new UsageProblem('name one published draw');
    const draw = readOrRefuse(parseDraw(await jsonOf(source)), `${source} is no published draw`);
    const receipt =
      typeof receiptFile === 'string'
        ? readOrRefuse(parseReceipt(await jsonOf(receiptFile)), `${receiptFile} is no receipt`)
        : undefined;
    const chain = draw.beacon.kind === 'drand' ? draw.beacon.chain : '';
    const verdict = await verifyDraw(draw, {
      receipt,
      nowMs: Date.now(),
      isSigned: verifyWithWebCrypto,
      ...(typeof beacon === 'string' && { beaconValue: (round: number) => askBeacon(beacon, chain, round) }),
    });
    input.print(`draw of event ${draw.eventId}, era ${draw.era}`);
    for (const check of verdict.checks) input.print(`${marks[check.outcome]}${sayCheck(check, 'en')}`);
    input.print(sayVerdict(verdict, 'en'));
    return verdict.outcome === 'passed' ? exitCodes.ok : exitCodes.failed;
  },
};

const marks: Readonly<Record<Check['outcome'], string>> = {
  passed: 'ok     ',
  failed: 'WRONG  ',
  open: 'later  ',
  unchecked: 'look   ',
};

const answerWithinMs = 30_000;
/** A million entries are some megabytes. */
const bytesMax = 256 * 1024 * 1024;

function readOrRefuse<Value>(parsed: Parsed<Value>, message: string): Value {
  if ('wrong' in parsed) throw new Error(`${message}: ${parsed.wrong} is missing or not as it must be`);
  return parsed.value;
}

async function jsonOf(source: string): Promise<unknown> {
  const text = isAddress(source) ? await textAt(source) : await readFile(source, 'utf8');
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${source} is no JSON`);
  }
}

function isAddress(text: string): boolean {
  return /^https?:\/\//.test(text);
}

async function textAt(address: string): Promise<string> {
  const answer = await fetch(address, { signal: AbortSignal.timeout(answerWithinMs) });
  if (!answer.ok) throw new Error(`${address} answered ${answer.status}`);
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of answer.body ?? []) {
    bytes += part.length;
    if (bytes > bytesMax) throw new Error(`${address} sends more than ${bytesMax} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Null: the beacon knows no such round. */
async function askBeacon(base: string, chain: string, round: number): Promise<string | null> {
  if (!isAddress(base)) throw new UsageProblem('--beacon is an address that begins with https://');
  const address = `${base.replace(/\/+$/, '')}/${chain}/public/${round}`;
  const answer = await fetch(address, { signal: AbortSignal.timeout(answerWithinMs) });
  if (answer.status === 404 || answer.status === 425) return null;
  if (!answer.ok) throw new Error(`${address} answered ${answer.status}`);
  const { randomness } = (await answer.json()) as { randomness?: unknown };
  if (typeof randomness !== 'string') throw new Error(`${address} says no randomness`);
  return randomness.toLowerCase();
}
