import { setTimeout as delay } from 'node:timers/promises';
import type { Transaction } from '#platform/postgres/database.ts';

/** How long a handler of the chaos run may take. */
export const handlerTimeoutMs = 4_000;

/**
 * The ways in which a handler fails, each in the middle of its effect. `undecodable` never reaches a handler: the message
 * itself is broken.
 */
const failures: Readonly<Record<string, (tx: Transaction) => Promise<unknown>>> = {
  'throws-error': async () => {
    throw new Error('cannot be handled');
  },
  'throws-null': async () => {
    throw null;
  },
  'throws-symbol': async () => {
    throw Symbol('what is this');
  },
  'throws-message-that-is-no-string': async () => {
    throw Object.assign(new Error(), { message: { odd: true } });
  },
  'throws-what-cannot-be-read': async () => {
    throw new Proxy(new Error(), {
      get() {
        throw new Error('not even its name');
      },
    });
  },
  'throws-what-looks-like-a-socket': async () => {
    throw Object.assign(new Error('getaddrinfo ENOTFOUND bank.example'), { code: 'ENOTFOUND' });
  },
  'swallows-a-failed-statement': async (tx) => {
    await tx.query('SELECT 1 / 0').catch(() => undefined);
  },
  'ends-its-own-session': async (tx) => {
    await tx.query('SELECT pg_terminate_backend(pg_backend_pid())');
  },
  'too-slow': async () => {
    await delay(handlerTimeoutMs * 3);
  },
  'never-returns': () => new Promise(() => {}),
};

export const undecodable = 'undecodable';
export const handlerPoisons: readonly string[] = Object.keys(failures);

export async function failLike(kind: string, tx: Transaction): Promise<void> {
  const fail = failures[kind];
  if (fail === undefined) throw new Error(`there is no poison called ${kind}`);
  await fail(tx);
}
