import { open } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';

export interface FolderLock {
  release(): void;
}

const sqliteBusy = 5;
/** Where the header of a SQLite file has `user_version`, four bytes. */
const ownerAt = 60;

const heldHere = new Set<string>();

/**
 * A lock that ends with the process, whatever it dies of: Node has no flock(2), but SQLite locks its file by the kernel. The
 * file stays when the lock is released: removing it would let two processes lock two files of one name. Null: another
 * process has it, or this one.
 */
export function tryFolderLock(file: string): FolderLock | null {
  if (heldHere.has(file)) return null;
  const database = new DatabaseSync(file);
  try {
    // Kept after the commit, until the file is closed. In this mode nothing else is written beside it.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === sqliteBusy) return null;
    throw error;
  }
  try {
    database.exec(`PRAGMA user_version = ${process.pid}; COMMIT`);
  } catch {
    // The disk is full. The lock is taken all the same; only whose it is will not be known.
  }
  heldHere.add(file);
  return {
    release() {
      if (heldHere.delete(file)) database.close();
    },
  };
}

/** The process that locked it last. */
export async function lastLockedBy(file: string): Promise<number | null> {
  // The kernel ends the locks of a process when it closes the file, by whichever descriptor.
  if (heldHere.has(file)) return process.pid;
  const handle = await open(file).catch(() => null);
  if (handle === null) return null;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, ownerAt);
    const pid = bytesRead === 4 ? buffer.readInt32BE() : 0;
    return pid > 0 ? pid : null;
  } finally {
    await handle.close();
  }
}
