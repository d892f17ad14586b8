import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';

const source = readFileSync(new URL('../../../public/my/tickets-offline.js', import.meta.url), 'utf8');
const pagePath = '/my/tickets';
const pageNaming = (...paths: string[]) => paths.map((path) => `<script src="${path}"></script>`).join('');

/** The worker with a cache and a network of the test's own. */
function aWorker(kept: Record<string, string> = {}) {
  const cache = new Map(Object.entries(kept));
  const network = new Map<string, string>();
  const fetched = async (path: string) => {
    const body = network.get(path);
    if (body === undefined) throw new TypeError('Failed to fetch');
    return new Response(body, { status: body === 'away' ? 503 : 200 });
  };
  const listeners = new Map<string, (event: object) => void>();
  runInNewContext(source, {
    URL,
    fetch: fetched,
    caches: {
      open: async () => ({
        put: async (path: string, answer: Response) => void cache.set(path, await answer.text()),
        addAll: async (paths: string[]) => {
          const answers = await Promise.all(paths.map(async (path) => [path, await (await fetched(path)).text()]));
          for (const [path, body] of answers) cache.set(path ?? '', body ?? '');
        },
        keys: async () => [...cache.keys()].map((path) => ({ url: `https://urr.test${path}` })),
        delete: async (url: string) => cache.delete(new URL(url).pathname),
      }),
    },
    self: {
      location: { origin: 'https://urr.test' },
      addEventListener: (name: string, hear: (event: object) => void) => listeners.set(name, hear),
    },
  });
  async function keep(...paths: string[]) {
    let work: Promise<void> = Promise.resolve();
    listeners.get('message')?.({ data: { keep: paths }, waitUntil: (promise: Promise<void>) => (work = promise) });
    await work.catch(() => undefined);
    return Object.fromEntries(cache);
  }
  return { network, keep };
}

test('a page is kept only with all of its files', async () => {
  const { network, keep } = aWorker();
  network.set(pagePath, pageNaming('/assets/a.js'));
  expect(await keep('/assets/a.js')).toEqual({});
  network.set('/assets/a.js', 'a');
  expect(await keep('/assets/a.js')).toEqual({ [pagePath]: pageNaming('/assets/a.js'), '/assets/a.js': 'a' });
});

test('a network that goes in the middle leaves the page of before with its files', async () => {
  const before = { [pagePath]: pageNaming('/assets/old.js'), '/assets/old.js': 'old' };
  const { network, keep } = aWorker(before);
  network.set(pagePath, pageNaming('/assets/new.js'));
  expect(await keep('/assets/new.js')).toEqual(before);
});

test('a newer release takes the place of the older one', async () => {
  const { network, keep } = aWorker({ [pagePath]: pageNaming('/assets/old.js'), '/assets/old.js': 'old' });
  network.set(pagePath, pageNaming('/assets/new.js')).set('/assets/new.js', 'new');
  expect(await keep('/assets/new.js')).toEqual({ [pagePath]: pageNaming('/assets/new.js'), '/assets/new.js': 'new' });
});

test('neither a page of another release than the files nor an error is kept', async () => {
  const { network, keep } = aWorker();
  network.set(pagePath, pageNaming('/assets/new.js')).set('/assets/old.js', 'old');
  expect(await keep('/assets/old.js')).toEqual({});
  network.set(pagePath, 'away');
  expect(await keep('/assets/old.js')).toEqual({});
});
