import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Of the cluster, its database and what the server writes ahead. */
const newDatabaseMb = 100;

/** What the server's programs say of a full disk names a file; what helps is the disk, and what to do. Any other failure stays as it is. */
export async function namingFullDisk(dataDir: string, error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !isFull(error)) return error;
  const folder = dirname(dataDir);
  const { bavail, bsize } = await statfs(folder);
  const leftMb = Math.floor((bavail * bsize) / 2 ** 20);
  return new Error(
    `The disk of ${folder} is full (${leftMb} MB left). Make room, or set URR_DATA_DIR to a folder on another disk, and start again; a new database needs ${newDatabaseMb} MB. What was there is as it was.`,
    { cause: error },
  );
}

function isFull(error: Error): boolean {
  if (/ENOSPC|No space left on device/.test(error.message)) return true;
  return error.cause instanceof Error && isFull(error.cause);
}
