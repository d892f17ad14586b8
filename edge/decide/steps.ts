/** Something that only a holder of the secret could have made, if the MAC is right. */
export interface MacCheck {
  /** Whose secrets: of tier-1 tokens, of entry tokens, of waiting tickets. */
  readonly kind: MacKind;
  readonly signed: string;
  /** In base64url; that of a waiting ticket is cut to 22 characters. */
  readonly mac: string;
}

export type MacKind = 'vwr' | 'entry' | 'ticket';

/** HMAC-SHA-256 waits for an answer in browsers and workers, and does not in Node. So the logic asks, and a driver answers. */
export type Steps<Result> = Generator<MacCheck, Result, boolean>;

export function runNow<Result>(steps: Steps<Result>, stands: (check: MacCheck) => boolean): Result {
  let step = steps.next();
  while (step.done !== true) step = steps.next(stands(step.value));
  return step.value;
}

export async function runLater<Result>(
  steps: Steps<Result>,
  stands: (check: MacCheck) => Promise<boolean>,
): Promise<Result> {
  let step = steps.next();
  while (step.done !== true) step = steps.next(await stands(step.value));
  return step.value;
}
