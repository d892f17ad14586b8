import { describe, expect, test } from 'vitest';
import { createSessionFetch, type SessionFetchOptions } from './session-fetch.ts';

describe('an access token that has run out', () => {
  test('is renewed once for all calls that met it, and each is repeated', async () => {
    const browser = aBrowser();
    const tab = browser.openTab();
    const answers = await Promise.all([tab('/api/a', {}), tab('/api/b', {}), tab('/api/c', {})]);
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
    expect(browser.refreshes).toBe(1);
  });

  test('is renewed once although two tabs met it', async () => {
    const browser = aBrowser();
    const answers = await Promise.all([browser.openTab()('/api/a', {}), browser.openTab()('/api/b', {})]);
    expect(answers.map((answer) => answer.status)).toEqual([200, 200]);
    expect(browser.refreshes).toBe(1);
  });

  test('is renewed once although the note of one tab reaches the other late', async () => {
    const browser = aBrowser({ lateNotes: true });
    const answers = await Promise.all([browser.openTab()('/api/a', {}), browser.openTab()('/api/b', {})]);
    expect(answers.map((answer) => answer.status)).toEqual([200, 200]);
    expect(browser.refreshes).toBe(1);
  });

  test('is renewed again when it runs out again', async () => {
    const browser = aBrowser();
    const tab = browser.openTab();
    await tab('/api/a', {});
    browser.expire();
    expect((await tab('/api/a', {})).status).toBe(200);
    expect(browser.refreshes).toBe(2);
  });

  test('that cannot be renewed ends the session and hands the 401 on', async () => {
    const browser = aBrowser({ refresh: async () => false });
    expect((await browser.openTab()('/api/a', {})).status).toBe(401);
    expect(browser.over).toBe(1);
  });

  test('leaves the session alone when the renewal did not get through', async () => {
    const browser = aBrowser({ refresh: () => Promise.reject(new Error('offline')) });
    await expect(browser.openTab()('/api/a', {})).rejects.toThrow('offline');
    expect(browser.over).toBe(0);
  });
});

test('a wrong password is not mistaken for a token that has run out', async () => {
  const browser = aBrowser();
  expect((await browser.openTab()('/api/auth/login', {})).status).toBe(401);
  expect(browser.refreshes).toBe(0);
});

interface BrowserOptions extends Partial<SessionFetchOptions> {
  /** Storage as Chromium has it: what one tab writes reaches the others later, even later than the lock. */
  readonly lateNotes?: boolean;
}

/** Tabs share cookies, storage and one lock, and time moves with each look at the clock. */
function aBrowser({ lateNotes = false, ...overrides }: BrowserOptions = {}) {
  let fresh = false;
  let time = 0;
  const shared = { last: 0 };
  let tail: Promise<unknown> = Promise.resolve();
  const browser = {
    refreshes: 0,
    over: 0,
    expire() {
      fresh = false;
    },
    openTab() {
      const notes = lateNotes ? { last: 0 } : shared;
      return createSessionFetch({
        fetch: async (url) => new Response(null, { status: fresh && !url.endsWith('login') ? 200 : 401 }),
        isFresh: async () => fresh,
        async refresh() {
          browser.refreshes += 1;
          await Promise.resolve();
          fresh = true;
          return true;
        },
        exclusively(work) {
          const turn = tail.then(work);
          tail = turn.catch(() => undefined);
          return turn;
        },
        lastRefresh: {
          read: () => notes.last,
          write(ms) {
            notes.last = ms;
          },
        },
        now: () => ++time,
        onSessionOver() {
          browser.over += 1;
        },
        ...overrides,
      });
    },
  };
  return browser;
}
