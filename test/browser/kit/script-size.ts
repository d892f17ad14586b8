import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** What a page may need to begin with, in bytes as they are sent. */
export const scriptBytesMax = 150_000;

/** Counts the scripts that a page loads from here on, as the server sends them: compressed where it does that. Nothing comes from the browser's cache. */
export async function watchScriptSize(page: Page): Promise<() => Promise<void>> {
  const session = await page.context().newCDPSession(page);
  /** By request, how long the head of its answer was. */
  const scripts = new Map<string, number>();
  let bytes = 0;
  session.on('Network.responseReceived', ({ requestId, response }) => {
    if (new URL(response.url).pathname.endsWith('.js')) scripts.set(requestId, response.encodedDataLength);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const head = scripts.get(requestId);
    if (head !== undefined) bytes += encodedDataLength - head;
  });
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  return async () => {
    const seen = bytes;
    await session.detach();
    // The libraries alone are more than this: fewer would mean that nothing was counted.
    expect(seen).toBeGreaterThan(50_000);
    expect(seen).toBeLessThanOrEqual(scriptBytesMax);
  };
}
