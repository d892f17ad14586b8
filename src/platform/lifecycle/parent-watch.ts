import { commandOf, parentOf } from './processes.ts';

const pollMs = 500;
const ancestorsMax = 4;

/**
 * Calls `onGone` once when the process that started us has died without a word (kill -9 of `npm start`), so that no server
 * stays behind holding the port and the data folder. Started in any other way (a service manager, a shell that
 * exits) we live on. Returns the function that ends the watch.
 */
export async function watchParent(onGone: (reason: string) => void): Promise<() => void> {
  const ends: (() => void)[] = [];
  const end = () => {
    for (const act of ends.splice(0)) act();
  };
  const gone = (reason: string) => {
    if (ends.length === 0) return;
    end();
    onGone(reason);
  };

  // The wrapper in scripts/ that runs us on a private Node opens this channel for nothing else.
  if (process.connected) {
    const onDisconnect = () => gone('the process that started us has ended');
    process.once('disconnect', onDisconnect);
    process.channel?.unref();
    ends.push(() => process.off('disconnect', onDisconnect));
  }
  const links = await linksToNpm();
  if (links.length > 0) {
    const timer = setInterval(async () => {
      for (const { child, parent } of links) {
        if ((await parentOf(child)) !== parent) gone('npm, which started us, has ended');
      }
    }, pollMs).unref();
    ends.push(() => clearInterval(timer));
  }
  return end;
}

interface Link {
  readonly child: number;
  readonly parent: number;
}

/** npm runs a shell that runs us, and the shell survives npm: each link of the chain has to be watched. */
async function linksToNpm(): Promise<Link[]> {
  if (process.platform !== 'linux' || !process.env.npm_lifecycle_event) return [];
  const links: Link[] = [];
  let child = process.pid;
  for (let level = 0; level < ancestorsMax; level++) {
    const parent = await parentOf(child);
    if (!parent) return [];
    links.push({ child, parent });
    if (/^npm\b|npm-cli/.test(await commandOf(parent))) return links;
    child = parent;
  }
  return [];
}
