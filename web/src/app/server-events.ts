import { tryLock } from '../queue/tab-locks.ts';

export interface ServerEventsOptions {
  readonly path: string;
  /**
   * Over HTTP/1.1 a browser opens six connections to a site, for all of its tabs together. A tab beyond so many of these streams
   * gets none, so that a connection is left for calls.
   */
  readonly slots: { readonly name: string; readonly count: number };
  readonly on: readonly (readonly [name: string, hear: (data: unknown) => void])[];
  opened?(): void;
  /** Broken off. The browser connects again by itself, after as long as the server asked for, and says what it knew last. */
  dropped(): void;
  /** Nothing more comes of this one. */
  refused(): void;
}

/** Server-sent events of this site. The cookies say whose they are. */
export function openServerEvents({ path, slots, on, ...listener }: ServerEventsOptions): { close(): void } {
  let source: EventSource | null = null;
  let release = () => {};
  let closed = false;
  const close = () => {
    closed = true;
    source?.close();
    release();
  };
  const refuse = () => {
    if (closed) return;
    close();
    listener.refused();
  };

  async function open(): Promise<void> {
    const taken = await takeSlot(slots);
    if (taken !== null) release = taken;
    if (closed) release();
    else if (taken === null) refuse();
    else listen();
  }

  function listen(): void {
    source = new EventSource(path);
    source.addEventListener('open', () => listener.opened?.());
    for (const [name, hear] of on) {
      source.addEventListener(name, ({ data }: MessageEvent<unknown>) => hear(data));
    }
    source.addEventListener('error', () => {
      if (source?.readyState === EventSource.CLOSED) refuse();
      else listener.dropped();
    });
  }
  open().catch(refuse);
  return { close };
}

/** Without locks (old browsers, plain http) tabs cannot count each other, and the safe way is to poll. */
async function takeSlot({ name, count }: ServerEventsOptions['slots']): Promise<(() => void) | null> {
  for (let index = 0; index < count; index += 1) {
    const release = await tryLock(`${name}-${index}`);
    if (release !== null) return release;
  }
  return null;
}
