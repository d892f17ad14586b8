import { useMemo, useState } from 'react';
import { ApiProblem } from '../api/problem.ts';
import type { CallOptions } from '../api/runtime.ts';
import type { Reservation } from '../reservations/reservation-types.ts';
import { attemptHold } from './hold-attempt.ts';
import type { HoldNews } from './hold-news.ts';
import { createIntentKeys } from './intent-key.ts';
import { randomKey, tabStorage } from './kept-in-tab.ts';

export interface HoldAct {
  readonly busy: boolean;
  readonly problem: ApiProblem | null;
  /** `body` is what is wanted, `replaces` included: the same once more has the same key. */
  ask<Body extends { readonly replaces?: string }>(
    body: Body,
    send: (body: Body, options: CallOptions) => Promise<Reservation>,
  ): Promise<void>;
  clear(): void;
}

/** Asks for a hold, once at a time, and tells what came of it. */
export function useHold(eventId: string, tell: (news: HoldNews) => void): HoldAct {
  const keys = useMemo(
    () => createIntentKeys({ name: `urr.intent.${eventId}`, storage: tabStorage, newKey: randomKey }),
    [eventId],
  );
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  return {
    busy,
    problem,
    async ask(body, send) {
      if (busy) return;
      setBusy(true);
      setProblem(null);
      try {
        const held = await attemptHold({
          intent: body,
          keys,
          send: (idempotencyKey) => send(body, { idempotencyKey }),
          wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
        });
        tell({ held, endedId: held.id === body.replaces ? null : (body.replaces ?? null) });
      } catch (error) {
        setProblem(error instanceof ApiProblem ? error : new ApiProblem({ code: 'PAGE', status: 0, cause: error }));
      } finally {
        setBusy(false);
      }
    },
    clear: () => setProblem(null),
  };
}
