import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startTestApp } from '#test/kit/app.ts';
import { aClient } from '#test/kit/client.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';
import { expectCountersToMatch } from '#test/kit/ticketing/counts.ts';
import { anAttempt, pin, publishOutcome } from '#test/kit/ticketing/payment-desk.ts';
import { accessibilityProblems } from './kit/axe.ts';
import { arriveAtSale, chooseSeats, holdButton } from './kit/booking.ts';
import { aBrowser, within } from './kit/browser.ts';
import { lookAgain, lookUntil } from './kit/page-clock.ts';
import { publishSale } from './kit/shows.ts';

describeWith('chromium', 'booking on a running urr', async () => {
  const app = await startTestApp({ demo: true, env: { URR_QUEUE_ADMISSION_INTERVAL_MS: '200' } });
  const { visitor } = await aBrowser(app.url);
  const staff = await aClient(app.url).as('seller');
  const { database } = app.urr.engines;
  if (database === null) throw new Error('the database is not open');
  const heldTitle = (page: Page) => page.getByRole('heading', { level: 1, name: '선점한 자리' });

  /** Nothing is lost by a reload, nor by going away and back. */
  async function reloadAndComeBack(page: Page, seesAll: () => Promise<unknown>): Promise<void> {
    await page.reload();
    await seesAll();
    await page.goto('/artists');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.goBack();
    await seesAll();
  }

  /** The code on the screen opens the door once. */
  async function expectOneEntry(page: Page, ticket: { eventId: string; seatId: string | null }): Promise<void> {
    const code = (await page.locator('[data-qr]').first().getAttribute('data-qr')) ?? '';
    expect(await staff.checkIn({ body: { code, gate: 'A' } })).toMatchObject({ ...ticket, gate: 'A' });
    await expect(staff.checkIn({ body: { code, gate: 'B' } })).rejects.toMatchObject({
      code: 'TICKET_NOT_VALID',
      document: { reason: 'used', gate: 'A' },
    });
  }

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
    await page.getByText('292,000원', { exact: true }).waitFor();
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

  test('a paid booking, from the line through the payment to the door, with reload, way back and a second tab at each step', async () => {
    const eventId = await publishSale(app.url);
    const { page, context, complaints } = await visitor({ width: 390, height: 844, touch: true });
    await arriveAtSale(page, eventId, 'buyer18@urr.test');
    const seatsPath = `/events/${eventId}/seats`;
    const drop = (label: number) => page.getByRole('button', { name: `1구역 1열 ${label}번 빼기` });

    // Choosing.
    await chooseSeats(page, '1구역', [/1구역 1열 1번, /, /1구역 1열 2번, /]);
    await reloadAndComeBack(page, async () => {
      await page.getByRole('button', { name: '고른 좌석 보기' }).click();
      await drop(2).waitFor();
    });
    const other = await context.newPage();
    await other.goto(seatsPath);
    await other.locator('[data-action-bar]').waitFor();

    // Held.
    await holdButton(page).click();
    for (const tab of [page, other]) await heldTitle(tab).waitFor();
    await reloadAndComeBack(page, () => heldTitle(page).waitFor());

    // Paid for, as payments will: pinned before anything is charged, then the news of the capture.
    const buyer = aClient(app.url);
    const { id: userId } = await buyer.signIn('buyer18@urr.test');
    const { items } = await buyer.listMyReservations();
    const held = items.find((item) => item.eventId === eventId);
    if (held === undefined) throw new Error('nothing is held');
    const attempt = anAttempt(held, userId);
    expect(await pin(app.url, attempt)).toEqual({ verdict: 'pinned' });
    for (const tab of [page, other]) {
      await lookAgain(tab);
      await tab.getByText('결제를 확인하고 있습니다. 다시 결제하지 마세요.').waitFor();
    }
    await reloadAndComeBack(page, () => page.getByText('결제를 확인하고 있습니다.').waitFor());
    await publishOutcome(database, 'PAYMENT_CONFIRMED', attempt);

    // Both tabs are led to the tickets, and are there after a reload and the way back.
    for (const tab of [page, other]) {
      await tab.waitForURL('**/my/tickets');
      await tab.locator('[data-qr]').first().waitFor();
    }
    await reloadAndComeBack(page, () => page.locator('[data-qr]').first().waitFor());
    expect(await accessibilityProblems(page)).toEqual([]);
    await expectOneEntry(page, { eventId, seatId: 'S1-1-1' });
    expect(complaints().filter((complaint) => !complaint.includes('401'))).toEqual([]);
    await expectCountersToMatch(database, eventId);
    await checkLedger(database);
  });

  test('standing: up to a ticket, with reload, way back and a second tab', async () => {
    const eventId = await publishSale(app.url, { standing: [30] });
    const { page, context } = await visitor();
    await arriveAtSale(page, eventId, 'buyer19@urr.test');
    await page.waitForURL('**/book');
    const more = (tab: Page) => tab.getByRole('button', { name: '스탠딩 1, 하나 늘리기' });
    await reloadAndComeBack(page, () => more(page).waitFor());
    const other = await context.newPage();
    await other.goto(`/events/${eventId}/book`);
    await more(other).waitFor();
    for (let times = 0; times < 2; times++) await more(page).click();
    await holdButton(page).click();
    for (const tab of [page, other]) await heldTitle(tab).waitFor();
    await reloadAndComeBack(page, () => heldTitle(page).waitFor());
    const buyer = aClient(app.url);
    const { id: userId } = await buyer.signIn('buyer19@urr.test');
    const { items } = await buyer.listMyReservations();
    const held = items.find((item) => item.eventId === eventId);
    if (held === undefined) throw new Error('nothing is held');
    const attempt = anAttempt(held, userId);
    expect(await pin(app.url, attempt)).toEqual({ verdict: 'pinned' });
    await publishOutcome(database, 'PAYMENT_CONFIRMED', attempt);
    // The tab that learns it first tells the other.
    await lookUntil(page, page.getByText('2장 중 1번째'));
    await other.waitForURL('**/my/tickets');
    await other.getByText('2장 중 1번째').waitFor();
    await reloadAndComeBack(page, () => page.locator('[data-qr]').first().waitFor());
    await expectOneEntry(page, { eventId, seatId: null });
    await expectCountersToMatch(database, eventId);
    await checkLedger(database);
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
