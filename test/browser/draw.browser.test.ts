import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { toHex } from '#edge/draw/hash.ts';
import { roundAtMs } from '#edge/draw/rounds.ts';
import { sha256 } from '#edge/draw/sha256.ts';
import { systemClock } from '#platform/clock.ts';
import { startTestApp } from '#test/kit/app.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aClient } from '#test/kit/client.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { sharedEngine } from '#test/kit/engines/shared.ts';
import { accessibilityProblems } from './kit/axe.ts';
import { aBrowser, within } from './kit/browser.ts';
import { publishShow } from './kit/shows.ts';

/** As it is by default. */
const quicknet = { kind: 'drand', chain: '', genesisSeconds: 1_692_803_367, periodSeconds: 3 } as const;

describeWith('chromium', 'a draw, from the pages of those who entered', async () => {
  // The half minute before the round passes at once: the server's clock is moved, not waited for.
  let aheadMs = 0;
  // Ample for three browsers to enter in, on any machine.
  const opensInMs = 400_000;
  const clock = { now: () => systemClock.now() + aheadMs, monotonicMs: () => systemClock.monotonicMs() + aheadMs };
  const redis = await sharedEngine('redis');
  const app = await startTestApp({
    demo: true,
    clock,
    env: { URR_REDIS_URL: redis.url, URR_DRAND_URL: await aDrand(), URR_VWR_RATE_PER_SECOND: '0' },
  });
  const { visitor } = await aBrowser(app.url);
  const operator = await aClient(app.url).as('operator');

  test('nobody knows their number before it is drawn, everybody reckons it then, and the page of the draw agrees', async () => {
    const eventId = await publishShow(app.url, '모두의 순서', opensInMs);
    await operator.activateRoom({ params: { eventId }, body: { draw: { beacon: 'drand' } } });
    const people = [
      await visitor(),
      await visitor({ width: 360, height: 740, touch: true, locale: 'en-US' }),
      await visitor(),
    ];
    for (const { page } of people) {
      await page.goto(`/vwr/${eventId}`);
      await expect.poll(() => page.locator('#fairness').isVisible(), within).toBe(true);
      expect(await page.locator('#ticket').isVisible()).toBe(false);
      expect(await accessibilityProblems(page)).toEqual([]);
    }
    const checks: string[] = [];
    for (const { page } of people) page.on('request', (request) => checks.push(new URL(request.url()).pathname));

    aheadMs += opensInMs;
    await expect.poll(() => phaseOf(eventId), within).toBe('frozen');
    aheadMs += 40_000;
    await expect.poll(() => phaseOf(eventId), within).toBe('open');
    const numbers: string[] = [];
    for (const { page } of people) {
      await expect.poll(() => page.locator('#number').isVisible(), within).toBe(true);
      numbers.push((await page.locator('#number').textContent()) ?? '');
    }
    expect(numbers.toSorted()).toEqual(['1', '2', '3']);
    expect(checks.filter((path) => path.includes('/check/'))).toEqual([]);

    for (const [i, { page, complaints }] of people.entries()) {
      await page.click('#fairness');
      await expect.poll(() => page.locator('#number').textContent(), within).toContain(numbers[i]);
      expect(await page.locator('#verdict').getAttribute('class')).toBe('passed');
      expect(complaints()).toEqual([]);
    }
    const served = people[numbers.indexOf('1')]?.page;
    await operator.advanceRoom({ params: { eventId }, body: { batchSize: 1 } });
    await served?.goto(`/vwr/${eventId}`);
    await expect.poll(() => new URL(served?.url() ?? '').pathname, within).toBe(`/events/${eventId}`);
  });

  async function phaseOf(eventId: string): Promise<string> {
    return (await aClient(app.url).getRoomStatus({ params: { eventId } })).phase;
  }

  /** A beacon that has every round that is due by the server's clock. */
  async function aDrand(): Promise<string> {
    const server = createServer(({ url = '' }, answer) => {
      const round = Number(url.split('/').at(-1));
      if (roundAtMs(quicknet, round, 0) > clock.now()) {
        answer.writeHead(404).end();
        return;
      }
      const signature = sha256(Buffer.from(`round ${round}`));
      answer.end(JSON.stringify({ round, signature: toHex(signature), randomness: toHex(sha256(signature)) }));
    });
    await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
    atEnd(async () => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
});
