import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { within } from './browser.ts';

/**
 * Gives the page a clock that the test may stop and move, so that nothing has to be seen within a few real seconds. Call it
 * before the page is opened. The page learns the server's time from the same clock, and therefore stays where it was moved to.
 *
 * Stopped, only timers stand still: clicks, answers of the server and drawing go on. What waits for a timer, which are loading a
 * page, polling and axe, needs the clock to run: `page.clock.runFor`, or `resume`.
 */
export async function ownClock(page: Page): Promise<void> {
  await page.clock.install();
  await page.route('**/api/time', async (route) => {
    // A page that is being left cannot say what time it has, and does not want to know.
    const now = await pageNow(page).catch(() => null);
    if (now === null) await route.abort().catch(() => undefined);
    else await route.fulfill({ json: { now: new Date(now).toISOString() } });
  });
}

/** Jumps to a moment on the page's clock and stops there. Timers that would have run until then run once. */
export async function stopClockAt(page: Page, moment: number): Promise<void> {
  await page.clock.pauseAt(moment);
}

/** Stops the page's clock a little ahead: it cannot be stopped in the past, and reading it takes a while on a busy machine. */
export async function stopClock(page: Page): Promise<void> {
  await stopClockAt(page, (await pageNow(page)) + aheadMs);
}

const aheadMs = 120_000;

/** Asks anew, as when somebody looks at the page again. Needs no timer. */
export function lookAgain(page: Page): Promise<void> {
  return page.evaluate("void document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
}

/** Looks at the page again and again until this is seen: a question that was under way already is answered as things were before. */
export async function lookUntil(page: Page, sight: Locator): Promise<void> {
  const look = async () => {
    await lookAgain(page);
    return sight.isVisible();
  };
  await expect.poll(look, within).toBe(true);
}

/** As when another tab is in front of this one. */
export function lookAway(page: Page): Promise<void> {
  return page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { get: () => 'hidden', configurable: true });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  `);
}

/** After `lookAway`. */
export function lookBack(page: Page): Promise<void> {
  return page.evaluate(`
    delete document.visibilityState;
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  `);
}

function pageNow(page: Page): Promise<number> {
  return page.evaluate<number>('Date.now()');
}
