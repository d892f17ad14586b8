import type { ApiProblem } from '../api/problem.ts';
import type { QueueAnswer, QueueEvent } from './queue-client.ts';
import type { ShownWait } from './shown-wait.ts';

/**
 * What the page shows.
 *
 *   entering ──▶ waiting ──▶ turn ──▶ (the seats)
 *      │  ▲        │  │        │
 *      ▼  │opens   │  └──▶ gone ◀┘ left, cleared, or the time is over
 *    closed ◀──────┘
 *
 * `gone` says why: the place was `left`, the slot `passed` on, the place `ended` by somebody else, or the time of the slot was `over`.
 * `refused` is final until the visitor does something: signs in, takes a number first, finds the right address.
 */
export type QueueView =
  | { readonly kind: 'entering'; readonly problem: ApiProblem | null; readonly event: QueueEvent | null }
  | WaitingView
  | {
      readonly kind: 'closed';
      readonly opensAtMs: number | null;
      readonly message: string | null;
      readonly event: QueueEvent | null;
    }
  | TurnView
  | {
      readonly kind: 'gone';
      readonly why: EndOfPlace;
      /** What the operator says just then: an operator who clears a queue may say why. */
      readonly message: string | null;
      readonly event: QueueEvent | null;
    }
  | { readonly kind: 'refused'; readonly problem: ApiProblem };

export type EndOfPlace = 'left' | 'passed' | 'ended' | 'over';

export interface WaitingView {
  readonly kind: 'waiting';
  /** The smallest so far: people who come back to their old places must not make it look as if one moved back. */
  readonly position: number;
  /** Where this visitor began to watch; the progress counts from there. */
  readonly startPosition: number;
  readonly wait: ShownWait;
  readonly answer: QueueAnswer;
  /** `lost`: the last questions got no answer, and this is what was known before. */
  readonly connection: 'good' | 'lost';
  readonly event: QueueEvent | null;
}

export interface TurnView {
  readonly kind: 'turn';
  readonly slotEndsAtMs: number | null;
  readonly event: QueueEvent | null;
}
