import type { Static, TSchema } from 'typebox';

/**
 * How one module asks another. A call is data; the client's transport is this process or HTTP, and the caller cannot
 * tell. Over HTTP it is `POST /internal/<module>/<call>` with the internal signature.
 */
export interface InternalCall {
  readonly summary: string;
  readonly input: TSchema;
  readonly output: TSchema;
  /** May be sent again after a timeout or a lost connection. */
  readonly idempotent: boolean;
}

export type InternalCalls = Readonly<Record<string, InternalCall>>;

export type InternalHandlers<Calls extends InternalCalls> = {
  readonly [Name in keyof Calls]: (input: Static<Calls[Name]['input']>) => Promise<Static<Calls[Name]['output']>>;
};

/** What the calling module receives: the same shape as the handlers. */
export type InternalClient<Calls extends InternalCalls> = InternalHandlers<Calls>;

export function defineInternalCalls<const Calls extends InternalCalls>(calls: Calls): Calls {
  return calls;
}
