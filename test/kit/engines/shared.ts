import { inject } from 'vitest';
import type { SharedEngines } from './desk.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the shared engines are asked for; see desk.ts. */
    engineDesk: string;
  }
}

const asked = new Map<keyof SharedEngines, Promise<unknown>>();

/**
 * The address of an engine that all test files share, started by the first who asks:
 * `const { url } = await sharedEngine('redis')`. Nobody stops, pauses or empties it; tests that do start their own.
 */
export async function sharedEngine<Name extends keyof SharedEngines>(name: Name): Promise<SharedEngines[Name]> {
  const answer = asked.get(name) ?? ask(name);
  asked.set(name, answer);
  // The desk answers each name with the type that SharedEngines gives it.
  return answer as Promise<SharedEngines[Name]>;
}

async function ask(name: string): Promise<unknown> {
  const response = await fetch(`${inject('engineDesk')}/${name}`);
  if (!response.ok) throw new Error(`${name} is not available: ${await response.text()}`);
  return response.json();
}
