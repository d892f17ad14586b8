import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startTestApp } from '#test/kit/app.ts';
import { aClient } from '#test/kit/client.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { arriveAtSale, chooseSeats, holdButton } from './kit/booking.ts';
import { aBrowser, within } from './kit/browser.ts';
import { publishSale } from './kit/shows.ts';

describeWith('chromium', 'booking on a running urr', async () => {
  const app = await startTestApp({ demo: true, env: { URR_QUEUE_ADMISSION_INTERVAL_MS: '200' } });
  const { visitor } = await aBrowser(app.url);
  const staff = await aClient(app.url).as('seller');
  const heldTitle = (page: Page) => page.getByRole('heading', { level: 1, name: '선점한 자리' });

  test('from the line to a ticket that opens the door, at no cost', async () => {
    const eventId = await publishSale(app.url, { prices: { VIP: 0, R: 0 } });
    const { page, context, complaints } = await visitor({ width: 390, height: 844, touch: true });
    await arriveAtSale(page, eventId, 'buyer11@urr.test');
    await chooseSeats(page, '1구역', [
      /1구역 2열 3번, VIP석, 무료, 선택 가능/,
      /1구역 2열 4번, VIP석, 무료, 선택 가능/,
    ]);
    await page.locator('[data-action-bar]').getByText('2석 · 0원').waitFor();
    await holdButton(page).click();
    await heldTitle(page).waitFor();
    await page.getByRole('timer').filter({ hasText: '선점' }).waitFor();

    // Nothing is lost by a reload, nor seen otherwise in another tab.
    await page.reload();
    await heldTitle(page).waitFor();
    const other = await context.newPage();
    await other.goto(`/events/${eventId}/seats`);
    await heldTitle(other).waitFor();

    await page.getByRole('button', { name: '확정' }).click();
    await page.waitForURL('**/my/tickets');
    await page.locator('[data-qr]').first().waitFor();
    await page.getByText('S1구역 2열 3번').first().waitFor();
    const code = await page.locator('[data-qr]').first().getAttribute('data-qr');
    const entered = await staff.checkIn({ body: { code: code ?? '', gate: 'A' } });
    expect(entered).toMatchObject({ eventId, seatId: 'S1-2-3', gate: 'A' });
    await page.goto('/my/reservations');
    await page.getByText('예매 확정').waitFor();
    expect(complaints().filter((complaint) => !complaint.includes('401'))).toEqual([]);
  });

  test('a seat that somebody else takes is marked at once, and the others stay chosen', async () => {
    const eventId = await publishSale(app.url);
    const first = await visitor();
    const second = await visitor();
    await arriveAtSale(first.page, eventId, 'buyer12@urr.test');
    await arriveAtSale(second.page, eventId, 'buyer13@urr.test');
    await chooseSeats(first.page, '2구역', [/2구역 1열 1번, .*선택 가능/, /2구역 1열 2번, .*선택 가능/]);
    await chooseSeats(second.page, '2구역', [/2구역 1열 1번, .*선택 가능/]);
    await holdButton(second.page).click();
    await heldTitle(second.page).waitFor();
    await first.page.getByRole('status').getByText('방금 다른 분이 먼저 잡았습니다: 2구역 1열 1번.').waitFor();
    await first.page.getByRole('button', { name: /2구역 1열 1번, .*방금 나감/ }).waitFor();
    await first.page.getByRole('button', { name: /2구역 1열 2번, .*선택함/, pressed: true }).waitFor();
    // What the other gives up can be chosen again.
    await second.page.getByRole('button', { name: '선점 포기' }).click();
    await second.page.getByRole('dialog').getByRole('button', { name: '선점 포기' }).click();
    await second.page.locator('[data-action-bar]').waitFor();
    await first.page.getByRole('button', { name: /2구역 1열 1번, .*선택 가능/ }).waitFor();
  });

  test('seats are changed without letting go of the old ones first', async () => {
    const eventId = await publishSale(app.url);
    const { page } = await visitor();
    await arriveAtSale(page, eventId, 'buyer14@urr.test');
    await chooseSeats(page, '2구역', [/2구역 1열 1번, /, /2구역 1열 2번, /]);
    await holdButton(page).click();
    await heldTitle(page).waitFor();
    await page.getByText('292,000원').waitFor();
    await page.getByRole('button', { name: '좌석 바꾸기' }).click();
    await page.getByRole('timer').filter({ hasText: '2매 선점 중' }).waitFor();
    await chooseSeats(page, '2구역', [/2구역 1열 2번, /, /2구역 1열 3번, /]);
    await holdButton(page).click();
    await heldTitle(page).waitFor();
    await page.getByText('S2구역 1열 3번').waitFor();
    expect(await page.getByText('S2구역 1열 2번').count()).toBe(0);
  });

  test('the best seats are found and held', async () => {
    const eventId = await publishSale(app.url);
    const { page } = await visitor();
    await arriveAtSale(page, eventId, 'buyer15@urr.test');
    await page.getByRole('button', { name: '자동 배정' }).click();
    await page.getByLabel('등급', { exact: true }).selectOption('R');
    await page.getByRole('button', { name: '자동 배정으로 선점하기' }).click();
    await heldTitle(page).waitFor();
    expect(await page.getByText('R석').count()).toBe(2);
  });

  test('standing places are held and given up', async () => {
    const eventId = await publishSale(app.url, { standing: [30] });
    const { page } = await visitor();
    await arriveAtSale(page, eventId, 'buyer16@urr.test');
    await page.waitForURL('**/book');
    const more = page.getByRole('button', { name: '스탠딩 1, 하나 늘리기' });
    await more.click();
    await more.click();
    await page.getByText('30명 남음').waitFor();
    await holdButton(page).click();
    await heldTitle(page).waitFor();
    await page.getByText('2매').first().waitFor();
    await page.goto('/my/reservations');
    await page.getByRole('link', { name: '이어서 하기' }).waitFor();
    await page.getByRole('button', { name: '선점 포기' }).click();
    await page.getByRole('dialog').getByRole('button', { name: '선점 포기' }).click();
    await page.getByText('예매한 공연이 없습니다').waitFor();
    await page.getByRole('tab', { name: /취소·만료/ }).click();
    await page.getByText('스탠딩 1').first().waitFor();
  });

  test('some tickets are cancelled, and their seats can be had again', async () => {
    const eventId = await publishSale(app.url, { prices: { VIP: 0, R: 0 } });
    const { page } = await visitor();
    await arriveAtSale(page, eventId, 'buyer17@urr.test');
    await chooseSeats(page, '1구역', [/1구역 1열 1번, /, /1구역 1열 2번, /]);
    await holdButton(page).click();
    await page.getByRole('button', { name: '확정' }).click();
    await page.waitForURL('**/my/tickets');
    await page.goto('/my/reservations');
    await page.getByRole('button', { name: '예매 취소' }).click();
    await page.getByRole('dialog').getByLabel('S1구역 1열 1번').uncheck();
    await page.getByRole('dialog').getByRole('button', { name: '1매 취소하기' }).click();
    await page.getByText('일부 취소').waitFor();
    const leftOf = async (grade: string) => {
      const { grades } = await staff.listEventTickets({ params: { eventId } });
      return grades.find((known) => known.grade === grade)?.left;
    };
    await expect.poll(() => leftOf('VIP'), within).toBe(14);
  });
});
