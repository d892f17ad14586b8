import { answerHeaders, callerHeaders } from '../api/names.generated.ts';
import type { Drawn, Mine, RoomStatus } from './line.ts';

const timeoutMs = 10_000;

export interface Answer {
  readonly status: number;
  // Read field by field where it is used; a proxy's error page is an empty object.
  readonly body: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds: number | null;
}

/** Throws when there is no answer at all. */
export async function ask(path: string, options: { post?: unknown } = {}): Promise<Answer> {
  const answer = await fetch(path, {
    ...(options.post !== undefined && {
      method: 'POST',
      headers: { [callerHeaders.contentType]: 'application/json' },
      body: JSON.stringify(options.post),
    }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const said = Number(answer.headers.get(answerHeaders.retryAfter) ?? Number.NaN);
  const body = await answer.json().catch(() => ({}));
  return { status: answer.status, body: body ?? {}, retryAfterSeconds: Number.isFinite(said) ? said : null };
}

const phases = ['prequeue', 'frozen', 'open', 'paused', 'closed'] as const;

export function statusOf({ body }: Answer): RoomStatus {
  const draw = (body.draw ?? {}) as Answer['body'];
  return {
    isActive: body.isActive === true,
    phase: phases.find((phase) => phase === body.phase) ?? 'open',
    servingLine: numberOf(body.servingLine) ?? numberOf(body.serving) ?? 0,
    rate: numberOf(body.rate),
    opensAt: textOf(body.opensAt),
    soldOut: body.soldOut === true,
    message: textOf(body.message),
    drawEra: numberOf(draw.era),
    drawn: drawnOf(draw),
  };
}

function drawnOf({ era, seed, entries, lineOffset }: Answer['body']): Drawn | null {
  const known = [era, entries, lineOffset].map(numberOf);
  const [ofEra = null, count = null, offset = null] = known;
  const text = textOf(seed);
  if (text === null || ofEra === null || count === null || offset === null) return null;
  return { era: ofEra, seed: text, entries: count, lineOffset: offset };
}

export function mineOf({ body }: Answer): Mine {
  return {
    requestId: textOf(body.requestId) ?? '',
    line: numberOf(body.line) ?? numberOf(body.position),
    position: numberOf(body.position),
    era: numberOf(body.era),
    entry: numberOf(body.entry),
  };
}

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);
export const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
