import { platformErrors } from '../errors.ts';
import { isDiskFull } from './failure.ts';

/** After a write for which there was no room. Somebody writes all the time, so it is known again before this is over. */
const fullForMs = 10_000;

/** Whether the database has room to write. Reading goes on when its disk is full, so a look alone does not tell. */
export function createRoomWatch(): { note(error: unknown): void; insist(): void } {
  let fullAtMs = Number.NEGATIVE_INFINITY;
  return {
    note(error) {
      if (isDiskFull(error)) fullAtMs = performance.now();
    },
    insist() {
      if (performance.now() - fullAtMs < fullForMs)
        throw platformErrors.fault('DATABASE_UNAVAILABLE', { detail: 'The disk of the database is full.' });
    },
  };
}
