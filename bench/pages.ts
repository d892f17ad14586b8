import { type Browser, chromium } from 'playwright-core';
import { chromiumPath } from '#test/kit/chromium-path.ts';
import { startProgram } from './http/servers.ts';
import type { BenchReport } from './report.ts';

const roundsUsual = 5;
/** A bad connection of a phone. */
const bytesPerSecond = 400_000 / 8;
const latencyMs = 150;
const cpuRate = 4;

/** How long somebody with a slow phone looks at nothing, on the first visit. */
export async function run(report: BenchReport): Promise<void> {
  const urr = await startProgram();
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const visits: Visit[] = [];
    for (let round = 0; round < report.roundsOf(roundsUsual); round++) visits.push(await firstVisit(browser, urr.url));
    const median = (of: keyof Visit) => visits.map((visit) => visit[of]).sort((a, b) => a - b)[visits.length >> 1] ?? 0;
    const name = 'the first visit of the home page, 400 kbit/s, CPU 4 times slower';
    report.weigh({ name, subject: 'something is to be seen', value: median('paintMs'), unit: 'ms', max: 3_000 });
    report.weigh({ name, subject: 'the next opening is to be seen', value: median('contentMs'), unit: 'ms' });
    report.weigh({ name, subject: 'sent until then', value: median('bytes'), unit: 'bytes' });
    report.note(
      `Chromium as a phone of 390 × 844, nothing cached, ${latencyMs} ms latency, throttled by the DevTools protocol; median of ` +
        `${visits.length}. What is seen first is the header, which is in index.html; the rest waits for the scripts, which fill the line.`,
    );
  } finally {
    await browser.close();
    await urr.stop();
  }
}

interface Visit {
  readonly paintMs: number;
  readonly contentMs: number;
  readonly bytes: number;
}

async function firstVisit(browser: Browser, url: string): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
    locale: 'ko-KR',
    timezoneId: 'Asia/Seoul',
  });
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    let bytes = 0;
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await session.send('Network.enable');
    const throughput = { downloadThroughput: bytesPerSecond, uploadThroughput: bytesPerSecond };
    await session.send('Network.emulateNetworkConditions', { offline: false, latency: latencyMs, ...throughput });
    await session.send('Emulation.setCPUThrottlingRate', { rate: cpuRate });
    // Written against the browser's globals, which are no part of the types that this is checked with.
    await page.addInitScript(`new MutationObserver((_, observer) => {
      if (document.querySelector('#next-opening') === null) return;
      observer.disconnect();
      globalThis.contentMs = performance.now();
    }).observe(document, { subtree: true, childList: true })`);
    await page.goto(url, { waitUntil: 'commit' });
    await page.locator('#next-opening').waitFor();
    const sent = bytes;
    const paintMs = await page.evaluate<number>("performance.getEntriesByName('first-contentful-paint')[0].startTime");
    return { paintMs, contentMs: await page.evaluate<number>('globalThis.contentMs'), bytes: sent };
  } finally {
    await context.close();
  }
}
