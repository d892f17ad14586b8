import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { aClient, demoPassword } from '#test/kit/client.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { startLikeNpm } from '#test/kit/processes.ts';
import { accessibilityProblems } from './kit/axe.ts';
import { chooseSeats, enterTurn, holdButton } from './kit/booking.ts';
import { aBrowser } from './kit/browser.ts';
import { sidewaysOverflow } from './kit/page-facts.ts';
import { fillCard, payButton, slipTitle } from './kit/paying.ts';

const phone = { width: 390, height: 844 };
const desktop = { width: 1280, height: 800 };

describeWith('chromium', 'the whole path on a fresh urr, as npm start starts it', async () => {
  const urr = await startLikeNpm({ URR_DATA_DIR: await aFolder('home'), URR_LOG_LEVEL: 'warn' });
  const { visitor } = await aBrowser(urr.url);

  test('event, queue, seats, hold, payment, ticket, door, cancellation, refund', async () => {
    const client = aClient(urr.url);
    const operator = await client.as('operator');
    const seller = await client.as('seller');
    const { items } = await client.listEvents({ query: { status: 'on_sale' } });
    const eventId = items.find(({ priceMaxKrw }) => priceMaxKrw === 165_000)?.id ?? '';
    const { page, complaints } = await visitor({ ...phone, touch: true });

    // The event, and the line: nobody is let in for now, or there would be none to see.
    await operator.setQueueThreshold({ params: { eventId }, body: { threshold: 0 } });
    await page.goto(`/events/${eventId}`);
    await look(page, page.getByRole('heading', { level: 1 }));
    await page.getByRole('link', { name: '예매하기' }).click();
    await page.getByLabel('이메일').fill('buyer1@urr.test');
    await page.getByLabel('비밀번호', { exact: true }).fill(demoPassword);
    await page.getByRole('main').getByRole('button', { name: '로그인' }).click();
    await page.waitForURL(`**/queue/${eventId}`);
    await look(page, page.getByRole('heading', { level: 1 }));
    await operator.setQueueThreshold({ params: { eventId }, body: { threshold: 1_000 } });

    // The seats, and two of them held.
    await enterTurn(page);
    await look(page, page.locator('[data-action-bar]'));
    await chooseSeats(page, '1층 A구역', [/A구역 1열 1번, /, /A구역 1열 2번, /]);
    await holdButton(page).click();
    await look(page, page.locator('#held-title'));

    // Paid for: declined once, then approved.
    await page.getByRole('button', { name: /결제하기$/ }).click();
    await look(page, payButton(page));
    await fillCard(page, '0002');
    await payButton(page).click();
    await look(page, page.getByRole('alert').filter({ hasText: /자리는 그대로 선점|places are still held/ }));
    await fillCard(page, '4242');
    await payButton(page).click();
    await slipTitle(page, '결제가 완료되었습니다').waitFor();
    await look(page, page.locator('#slip-title'));

    // The ticket opens the door once.
    await page.getByRole('link', { name: '티켓 보기' }).click();
    await look(page, page.locator('[data-qr]').first());
    const code = (await page.locator('[data-qr]').first().getAttribute('data-qr')) ?? '';
    const entered = await seller.checkIn({ body: { code, gate: 'A' } });
    expect(entered).toMatchObject({ eventId, gate: 'A' });
    await expect(seller.checkIn({ body: { code, gate: 'B' } })).rejects.toMatchObject({
      ...{ code: 'TICKET_NOT_VALID', document: { reason: 'used', gate: 'A' } },
    });

    // The other ticket is cancelled; what goes back is shown before.
    await page.goto('/my/reservations');
    await look(page, page.getByRole('article').first());
    for (const switched of [true, false]) {
      await switchLanguage(page);
      await page.getByRole('button', { name: switched ? 'Cancel' : '예매 취소', exact: true }).click();
      const sum = page
        .getByRole('dialog')
        .getByRole('status')
        .filter({ hasText: /환불 합계|Refund in total/ });
      await sum.getByText(switched ? /₩1\d\d,\d{3}/ : /1\d\d,\d{3}원/).waitFor();
      for (const size of [desktop, phone]) {
        await page.setViewportSize(size);
        expect(await accessibilityProblems(page)).toEqual([]);
      }
      if (switched) await page.keyboard.press('Escape');
    }
    await page.getByRole('dialog').getByRole('button', { name: '1매 취소하기' }).click();
    await page.getByText(/원을 환불했습니다/).waitFor();
    await look(page, page.getByText(/환불했습니다|was refunded/));
    expect(complaints().filter((complaint) => !/40[12]/.test(complaint))).toEqual([]);
    expect(await urr.stop()).toBe(0);
  }, 900_000);
});

/** In both languages, on a phone and on a wide screen: it is there, nothing sticks out, and axe finds nothing. */
async function look(page: Page, sight: Locator): Promise<void> {
  for (let languages = 0; languages < 2; languages += 1) {
    for (const size of [desktop, phone]) {
      await page.setViewportSize(size);
      await sight.waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(await sidewaysOverflow(page)).toBe(0);
    }
    await switchLanguage(page);
  }
}

async function switchLanguage(page: Page): Promise<void> {
  const button = page.getByRole('banner').locator('button[lang]');
  const before = await button.getAttribute('lang');
  await button.click();
  await page.getByRole('banner').locator(`button[lang]:not([lang="${before}"])`).waitFor();
}
