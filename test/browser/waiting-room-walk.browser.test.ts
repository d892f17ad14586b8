import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { startTestApp } from '#test/kit/app.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aClient, demoPassword, type TestClient } from '#test/kit/client.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { startNginx } from '#test/kit/engines/nginx.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { eventually } from '#test/kit/faults.ts';
import { accessibilityProblems } from './kit/axe.ts';
import { chooseSeats, enterTurn, holdButton } from './kit/booking.ts';
import { aBrowser, type Visitor, within } from './kit/browser.ts';
import { sidewaysOverflow } from './kit/page-facts.ts';
import { fillCard, payButton, slipTitle } from './kit/paying.ts';

const phone = { width: 390, height: 844 };
const desktop = { width: 1280, height: 800 };

describeWith(['chromium', 'nginx'], 'through the waiting room, with nginx in front', () => {
  let front: string;
  let visitor: Awaited<ReturnType<typeof aBrowser>>['visitor'];
  let operator: TestClient;
  let eventId: string;

  beforeAll(async () => {
    const app = await startTestApp({ demo: true, env: { URR_QUEUE_ADMISSION_INTERVAL_MS: '200' } });
    const nginx = await startNginx({ dir: await aFolder('nginx'), upstream: app.url });
    atEnd(() => nginx.kill());
    front = nginx.url;
    visitor = (await aBrowser(front)).visitor;
    operator = await aClient(app.url).as('operator');
    const { items } = await operator.listEvents({ query: { status: 'on_sale' } });
    eventId = items.find(({ priceMaxKrw }) => priceMaxKrw === 165_000)?.id ?? '';
    await operator.activateRoom({ params: { eventId }, body: {} });
    // Nobody is served until the operator says so.
    await operator.pauseRoom({ params: { eventId } });
    await eventually(async () => (await openEvent()).status === 302, {
      withinMs: within.timeout,
      what: 'the gateway to know the room',
    });
  });

  const openEvent = () => fetch(`${front}/events/${eventId}`, { redirect: 'manual', headers: { accept: 'text/html' } });

  async function arrives(options: Parameters<typeof visitor>[0] = {}): Promise<Visitor> {
    const one = await visitor(options);
    await one.page.goto(`/events/${eventId}?from=poster`);
    await one.page.waitForURL(`**/vwr/${eventId}?**`);
    return one;
  }
  const numberOf = async (page: Page) => {
    await page.locator('#number:not(:empty)').waitFor();
    return page.locator('#number').textContent();
  };

  test('the number stays: after a reload, in a new tab, after a lost connection', async () => {
    await numberOf((await arrives()).page);
    const { page, context } = await arrives();
    const number = await numberOf(page);
    await page.reload();
    expect(await numberOf(page)).toBe(number);
    const other = await context.newPage();
    await page.close();
    await other.goto(`/events/${eventId}`);
    expect(await numberOf(other)).toBe(number);
    await context.setOffline(true);
    await other.locator('#lost').waitFor();
    expect(await numberOf(other)).toBe(number);
    await context.setOffline(false);
    await other.locator('#lost').waitFor({ state: 'hidden' });
    expect(await numberOf(other)).toBe(number);
    // Somebody else has another one.
    expect(await numberOf((await arrives()).page)).not.toBe(number);
  });

  test('the waiting page in both languages, on a phone and on a wide screen', async () => {
    const { page, complaints } = await arrives();
    await numberOf(page);
    for (const language of ['ko', 'en']) {
      await page.locator(`html[lang="${language}"]`).waitFor();
      for (const size of [desktop, phone]) {
        await page.setViewportSize(size);
        expect(await accessibilityProblems(page)).toEqual([]);
        expect(await sidewaysOverflow(page)).toBe(0);
      }
      await page.locator('#language').click();
    }
    expect(complaints()).toEqual([]);
  });

  test('event page, waiting page, turn, queue page, slot, seats, paid', async () => {
    const { page, complaints } = await arrives({ ...phone, touch: true });
    await numberOf(page);
    await operator.resumeRoom({ params: { eventId } });
    await operator.advanceRoom({ params: { eventId }, body: { batchSize: 1_000 } });
    // Where the way was begun.
    await page.waitForURL(`**/events/${eventId}?from=poster`);
    await page.getByRole('link', { name: '예매하기' }).click();
    await page.getByLabel('이메일').fill('buyer1@urr.test');
    await page.getByLabel('비밀번호', { exact: true }).fill(demoPassword);
    await page.getByRole('main').getByRole('button', { name: '로그인' }).click();
    await enterTurn(page);
    await chooseSeats(page, '1층 A구역', [/A구역 1열 1번, /, /A구역 1열 2번, /]);
    await holdButton(page).click();
    await page.locator('#held-title').waitFor();
    await page.getByRole('button', { name: /결제하기$/ }).click();
    await payButton(page).waitFor();
    await fillCard(page, '4242');
    await payButton(page).click();
    await slipTitle(page, '결제가 완료되었습니다').waitFor();
    expect(complaints().filter((complaint) => !complaint.includes('401'))).toEqual([]);
    // The room is still on for everybody else.
    expect((await openEvent()).status).toBe(302);
  }, 600_000);
});
