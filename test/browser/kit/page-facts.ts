import type { Page } from 'playwright-core';

/*
 * Questions to the page, as text: what runs in the browser is written against the browser's globals, which are no part of
 * the types that the tests are checked with.
 */

/** What has the focus: its id, its name attribute, its text and the style of its outline. */
export function focused(page: Page): Promise<{ id: string; name: string | null; text: string; outline: string }> {
  return page.evaluate(`(() => {
    const element = document.activeElement ?? document.body;
    return {
      id: element.id,
      name: element.getAttribute('name'),
      text: element.textContent.trim(),
      outline: getComputedStyle(element).outlineStyle,
    };
  })()`);
}

/** By how many pixels the content is wider than the screen. A phone zooms out for it, and then `innerWidth` is wider as well. */
export function sidewaysOverflow(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/** The links and buttons of the page that this lies over, scrolled to where it is now. */
export function coveredBy(page: Page, cover: string): Promise<string[]> {
  return page.evaluate(`(() => {
    const cover = document.querySelector(${JSON.stringify(cover)}).getBoundingClientRect();
    return [...document.querySelectorAll('main a, main button, footer a')].filter((element) => {
      const box = element.getBoundingClientRect();
      const beside = box.right <= cover.left || box.left >= cover.right || box.bottom <= cover.top || box.top >= cover.bottom;
      return box.width > 0 && !beside && getComputedStyle(element).visibility === 'visible';
    }).map((element) => element.textContent.trim());
  })()`);
}

/** Begins to add up how much things move without the visitor's doing. Call it before the page is opened. */
export async function watchLayoutShift(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(`
    globalThis.layoutShift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) globalThis.layoutShift += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
  `);
  return () => page.evaluate('globalThis.layoutShift');
}

/** How many files whose address contains this were fetched so far. */
export function fetchedCount(page: Page, part: string): Promise<number> {
  return page.evaluate(
    `performance.getEntriesByType('resource').filter((entry) => entry.name.includes(${JSON.stringify(part)})).length`,
  );
}
