import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { chown, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Binaries } from './binaries.ts';

/** How the server's programs are run: as ourselves, or as somebody else because PostgreSQL refuses to be root. */
export interface Runner {
  spawn(command: string, args: readonly string[], options: SpawnOptions): ChildProcess;
  /** Gives a file or an empty folder to the user that the programs run as. */
  give(path: string): Promise<void>;
  /** The same for a folder with everything in it. */
  giveAll(path: string): Promise<void>;
}

interface Account {
  readonly uid: number;
  readonly gid: number;
}

export async function chooseRunner(places: { dataDir: string; binaries: Binaries }): Promise<Runner> {
  if (process.getuid?.() !== 0) {
    return {
      spawn: (command, args, options) => spawn(command, args, options),
      give: async () => {},
      giveAll: async () => {},
    };
  }
  const account = await chooseAccount(places.dataDir);
  const closed = (await closedFolder(places.dataDir, account)) ?? (await closedFolder(places.binaries.folder, account));
  const prefix = closed ? await keepAccess(account, closed) : null;
  return {
    spawn: (command, args, options) =>
      prefix
        ? spawn('setpriv', [...prefix, '--', command, ...args], options)
        : spawn(command, args, { ...options, uid: account.uid, gid: account.gid }),
    give: (path) => chown(path, account.uid, account.gid),
    async giveAll(path) {
      const result = spawnSync('chown', ['-R', `${account.uid}:${account.gid}`, path], { encoding: 'utf8' });
      if (result.status !== 0) throw new Error(`cannot hand ${path} to user ${account.uid}: ${result.stderr}`);
    },
  };
}

/** The folder's owner of earlier runs, else `nobody`. */
async function chooseAccount(dataDir: string): Promise<Account> {
  const owner = await stat(dataDir).catch(() => null);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const [, , uid, gid] = passwd.match(/^nobody:.*$/m)?.[0].split(':') ?? [];
  // macOS writes nobody as -2, which is this number seen unsigned.
  return uid && gid ? { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 } : { uid: 65_534, gid: 65_534 };
}

/** The first folder on the way to `path` that the account may not pass through, such as /root with mode 700. */
async function closedFolder(path: string, account: Account): Promise<string | null> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const found = await stat(folder).catch(() => null);
    if (found && !maySearch(found, account)) return folder;
    if (folder === dirname(folder)) return null;
  }
}

function maySearch(folder: { mode: number; uid: number; gid: number }, account: Account): boolean {
  if (folder.uid === account.uid) return (folder.mode & 0o100) !== 0;
  if (folder.gid === account.gid) return (folder.mode & 0o010) !== 0;
  return (folder.mode & 0o001) !== 0;
}

/**
 * A clone under /root is closed to every other user, and opening it is not ours to do. Instead the server keeps one
 * capability of root: to look into any folder (and where a container withholds that one, to override file modes).
 */
async function keepAccess(account: Account, closed: string): Promise<string[]> {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '');
  const held = BigInt(`0x${/^CapPrm:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0'}`);
  const capability = [
    { name: 'dac_read_search', bit: 2n },
    { name: 'dac_override', bit: 1n },
  ].find(({ bit }) => (held >> bit) & 1n)?.name;
  const prefix = [
    `--reuid=${account.uid}`,
    `--regid=${account.gid}`,
    '--clear-groups',
    `--inh-caps=+${capability}`,
    `--ambient-caps=+${capability}`,
    // access(2), which the server's programs ask before they run each other, forgets capabilities without this bit.
    '--securebits=+no_setuid_fixup',
  ];
  if (!capability || spawnSync('setpriv', [...prefix, '--', 'true']).status !== 0) {
    throw new Error(
      `PostgreSQL does not run as root, and user ${account.uid} may not pass through ${closed}. Run as another user, move the folder, or allow it with: chmod o+x ${closed}`,
    );
  }
  return prefix;
}
