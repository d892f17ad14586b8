import type { Pass, PassMemo } from './passes.ts';

/**
 * Remembers good passes, a bounded number: each click of a visitor shows the same one. Bad ones are not remembered, so that
 * nobody can push the good ones out with rubbish. Two generations: a hit moves nothing, and what was not asked for during a
 * whole generation is forgotten.
 */
export function createPassMemo({ passesMax }: { passesMax: number }): PassMemo {
  const generationMax = Math.max(1, Math.floor(passesMax / 2));
  let young = new Map<string, Pass>();
  let old = new Map<string, Pass>();

  function set(text: string, pass: Pass): void {
    if (young.size >= generationMax) {
      old = young;
      young = new Map();
    }
    young.set(text, pass);
  }

  return {
    get(text) {
      const pass = young.get(text);
      if (pass !== undefined) return pass;
      const older = old.get(text);
      if (older !== undefined) set(text, older);
      return older;
    },
    set,
  };
}
