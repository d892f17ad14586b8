import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * What is really kept, in bytes: everything that nobody refers to any more is collected first, since when that happens by
 * itself depends on the machine.
 */
export function keptHeapBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}
