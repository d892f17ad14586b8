import type { BrowserContext, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { startTestApp } from '#test/kit/app.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';
import { accessibilityProblems } from './kit/axe.ts';
import { aBrowser, type VisitorOptions, within } from './kit/browser.ts';
import { ownClock } from './kit/page-clock.ts';
import { sidewaysOverflow, watchLayoutShift } from './kit/page-facts.ts';
import { anOrder, fillCard, payButton, payKeys, retellOrder, signInAt, slipTitle } from './kit/paying.ts';
import { scriptBytesMax, watchScriptSize } from './kit/script-size.ts';
import { publishSale } from './kit/shows.ts';

const minuteMs = 60_000;

describeWith('chromium', 'paying', async () => {
  const app = await startTestApp({ demo: true, env: { URR_QUEUE_ADMISSION_INTERVAL_MS: '200' } });
  const { visitor } = await aBrowser(app.url);
  const { database } = app.urr.engines;
  if (database === null) throw new Error('the database is not open');
  let eventId = '';
  beforeAll(async () => {
    eventId = await publishSale(app.url);
  });
  let buyersUsed = 0;

  /** Somebody new who holds a seat and looks at the page to pay for them. */
  async function aPayer(options: VisitorOptions & { hasOwnClock?: boolean; goes?: boolean } = {}) {
    buyersUsed += 1;
    const email = `buyer${buyersUsed}@urr.test`;
    const order = await anOrder(app.url, { eventId, email, seatIds: [seatOf(buyersUsed)] });
    const someone = await visitor(options);
    if (options.hasOwnClock) await ownClock(someone.page);
    const keys = payKeys(someone.context);
    await signInAt(someone.page, options.goes === false ? '/me' : order.path, email);
    const attempts = async () =>
      (await order.buyer.listMyPayments()).items.filter(({ referenceId }) => referenceId === order.reservationId);
    return { ...someone, ...order, email, keys, attempts };
  }

  const paid = (page: Page) => slipTitle(page, '결제가 완료되었습니다').waitFor();
  const anotherTab = async (context: BrowserContext, path: string) => {
    const tab = await context.newPage();
    await tab.goto(path);
    return tab;
  };

  test('declined, then approved, by double clicks, and every tab follows', async () => {
    const { page, context, path, totalKrw, reservationNumber, attempts, complaints } = await aPayer({
      ...{ width: 390, height: 844, touch: true },
    });
    await page.getByRole('timer').filter({ hasText: '선점' }).waitFor();
    await page.getByRole('button', { name: `${totalKrw.toLocaleString('ko-KR')}원 결제하기` }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    const other = await anotherTab(context, path);
    const seats = await anotherTab(context, `/events/${eventId}/seats`);
    await slipTitle(seats, '선점한 자리').waitFor();
    await payButton(other).waitFor();

    await fillCard(page, '0002');
    await payButton(page).dblclick();
    const refusal = page.getByRole('alert').filter({ hasText: '카드사에서 승인하지 않았습니다' });
    await refusal.getByText('자리는 그대로 선점되어 있습니다').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect((await attempts()).map(({ status }) => status)).toEqual(['failed']);
    // A reload tells it still.
    await page.reload();
    await refusal.waitFor();

    await fillCard(page, '4242');
    await payButton(page).dblclick();
    for (const tab of [page, other]) await paid(tab);
    await page.getByText(reservationNumber).waitFor();
    await page.getByText('예매가 확정되었습니다.').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect((await attempts()).map(({ status }) => status)).toEqual(['captured', 'failed']);
    await seats.waitForURL('**/my/tickets');

    // Neither the way back nor the old address pays again.
    await page.goBack();
    await page.goto(path);
    await paid(page);
    await page.reload();
    await paid(page);
    await page.getByRole('link', { name: '티켓 보기' }).click();
    await page.locator('[data-qr]').first().waitFor();
    expect(complaints().filter((complaint) => !/40[12]/.test(complaint))).toEqual([]);
    await checkLedger(database);
  });

  test('a lost answer is asked for again under the same key, and the money is taken once', async () => {
    const { page, context, keys, attempts } = await aPayer();
    let lost = 0;
    await context.route('**/api/payments/process', async (route) => {
      if (lost === 2) return route.continue();
      lost += 1;
      await route.fetch();
      await route.abort('connectionreset');
    });
    await fillCard(page, '4242');
    await payButton(page).click();
    await paid(page);
    expect(keys.length).toBeGreaterThanOrEqual(3);
    expect(new Set(keys).size).toBe(1);
    expect((await attempts()).length).toBe(1);
  });

  test('a reload in the middle asks first, and pays under the same key afterwards', async () => {
    const { page, context, keys, attempts } = await aPayer();
    // It never arrives, and its answer never comes.
    await context.route('**/api/payments/process', () => undefined);
    await fillCard(page, '4242');
    await payButton(page).click();
    await page.getByRole('status').filter({ hasText: '이 화면을 닫거나 새로 고치지 마세요' }).waitFor();
    expect(await payButton(page).getAttribute('aria-busy')).toBe('true');
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.accept();
    });
    await page.reload();
    expect(asked).toEqual(['beforeunload']);
    await context.unroute('**/api/payments/process');
    await fillCard(page, '4242');
    await payButton(page).click();
    await paid(page);
    expect(keys.length).toBe(2);
    expect(new Set(keys).size).toBe(1);
    expect((await attempts()).length).toBe(1);
  });

  test('leaving for another page while it is under way is asked about', async () => {
    const { page, context } = await aPayer();
    await context.route('**/api/payments/process', () => undefined);
    await fillCard(page, '4242');
    await payButton(page).click();
    await page.getByText('이 화면을 닫거나 새로 고치지 마세요').waitFor();
    const said = page.waitForEvent('dialog').then(async (dialog) => {
      await dialog.dismiss();
      return dialog.message();
    });
    await page.getByRole('banner').getByRole('link', { name: '우르르' }).click();
    expect(await said).toContain('결제가 진행 중입니다');
    await page.getByText('이 화면을 닫거나 새로 고치지 마세요').waitFor();
  });

  test('an outcome that is not known is waited for in every tab, without a way to pay again, and is told', async () => {
    const { page, context, path, attempts } = await aPayer({ theme: 'dark' });
    const other = await anotherTab(context, path);
    await payButton(other).waitFor();
    await fillCard(page, '5423');
    // The server finds out within seconds. From its answer on the tabs are told the same until they were looked at, however long that takes.
    const answers: number[] = [];
    await context.route('**/api/payments/process', async (route) => {
      const response = await route.fetch();
      answers.push(response.status());
      await retellOrder(context, ({ reservation, payment }) => ({
        ...{ state: 'unknown', reservation: { ...reservation, status: 'paying' } },
        payment: payment === null ? null : { ...payment, status: 'unknown' },
      }));
      await route.fulfill({ response });
    });
    await payButton(page).click();
    for (const tab of [page, other]) {
      await slipTitle(tab, '결제 확인 중입니다').waitFor();
      await tab.getByText('다시 결제하지 마세요.').waitFor();
      expect(await payButton(tab).count()).toBe(0);
    }
    expect(answers).toEqual([202]);
    expect(await accessibilityProblems(page)).toEqual([]);
    await context.unroute('**/api/payments/order/*');
    await page.reload();
    for (const tab of [page, other]) await paid(tab);
    expect((await attempts()).map(({ status }) => status)).toEqual(['captured']);
  });

  test('waiting has an end: the page says that it may be closed, and asks when told to', async () => {
    const { page, context, path } = await aPayer({ hasOwnClock: true, goes: false });
    await retellOrder(context, ({ reservation }) => ({
      ...{ state: 'unknown', reservation: { ...reservation, status: 'paying' } },
    }));
    await page.goto(path);
    await slipTitle(page, '결제 확인 중입니다').waitFor();
    for (let minutes = 0; minutes < 5; minutes += 1) await page.clock.runFor(minuteMs);
    await slipTitle(page, '아직 결제 결과가 나오지 않았습니다').waitFor();
    await page.getByRole('link', { name: '내 예매 보기' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await context.unroute('**/api/payments/order/*');
    await page.getByRole('button', { name: '지금 다시 확인' }).click();
    // By the page's clock the hold itself is over by now.
    await slipTitle(page, '선점 시간이 끝났습니다').waitFor();
  });

  test('without a network the page neither loses the payment nor pays twice', async () => {
    const { page, context, attempts } = await aPayer();
    await fillCard(page, '4242');
    // Sent and taken, but from then on nothing comes back.
    await context.route('**/api/payments/**', async (route) => {
      if (route.request().method() === 'POST') await route.fetch();
      await route.abort('connectionreset');
    });
    await payButton(page).click();
    await slipTitle(page, '결제 확인 중입니다').waitFor();
    await page.getByRole('status').filter({ hasText: '연결이 끊겨' }).waitFor();
    expect(await payButton(page).count()).toBe(0);
    await context.unroute('**/api/payments/**');
    await paid(page);
    expect((await attempts()).length).toBe(1);
  });

  test('a virtual account: what is missing is named, the account with its deadline, the deposit, the ticket', async () => {
    const { page, context, path, totalKrw } = await aPayer({ width: 390, height: 844, touch: true });
    const other = await anotherTab(context, path);
    await page.getByText('가상계좌 입금', { exact: true }).click();
    await payButton(page).click();
    for (const text of ['은행을 골라 주세요.', '예금주 이름을 넣어 주세요.', '필수 약관에 모두 동의해 주세요.']) {
      await page.getByText(text).waitFor();
    }
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByLabel('은행', { exact: true }).selectOption('국민');
    await page.getByLabel('예금주').fill('김우르');
    await page.getByLabel('계좌 번호').fill('110-222-333333');
    await page.getByLabel('전체 동의').check();
    await payButton(page).dblclick();
    await slipTitle(page, '입금을 기다리고 있습니다').waitFor();
    // Another order by another method: the tab with the first one is led to it.
    await slipTitle(other, '입금을 기다리고 있습니다').waitFor();
    expect(new URL(page.url()).pathname).not.toBe(path);
    expect(new URL(other.url()).pathname).toBe(new URL(page.url()).pathname);
    await page.getByText(`${totalKrw.toLocaleString('ko-KR')}원`).waitFor();
    await page
      .getByRole('timer')
      .filter({ hasText: /입금 (2\d|30):\d\d 남음/ })
      .waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    // The way back to it.
    await page.goto('/my/reservations');
    await page.getByRole('link', { name: '입금 안내 보기' }).click();
    await slipTitle(page, '입금을 기다리고 있습니다').waitFor();
    await page.getByRole('button', { name: /입금한 것으로 하기/ }).click();
    for (const tab of [page, other]) await paid(tab);
    await page.getByText('예매가 확정되었습니다.').waitFor();
    await checkLedger(database);
  });

  test('when the time is over there is a way back to the seats, and nothing can be paid', async () => {
    const { page } = await aPayer({ hasOwnClock: true });
    await payButton(page).waitFor();
    await page.clock.runFor(4 * minuteMs);
    await page.getByRole('alert').filter({ hasText: '선점 시간이 1분 남았습니다.' }).waitFor({ state: 'attached' });
    await page.clock.runFor(2 * minuteMs);
    await slipTitle(page, '선점 시간이 끝났습니다').waitFor();
    expect(await payButton(page).count()).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('link', { name: '다시 고르기' }).waitFor();
  });

  test('a hold that ended at the server is told when it is pressed', async () => {
    const { page, buyer, reservationId } = await aPayer();
    await fillCard(page, '4242');
    await buyer.cancelReservation({ params: { reservationId }, body: {} });
    await payButton(page).click();
    await slipTitle(page, '더 이상 결제할 수 없는 주문입니다').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('link', { name: '다시 고르기' }).waitFor();
  });

  test('an order of somebody else is not there, and strangers sign in first', async () => {
    const { path } = await aPayer({ goes: false });
    const stranger = await visitor();
    await stranger.page.goto(path);
    await stranger.page.waitForURL(
      ({ pathname, searchParams }) => pathname === '/login' && searchParams.get('next') === path,
    );
    await signInAt(stranger.page, path, 'buyer20@urr.test');
    await slipTitle(stranger.page, '없는 주문입니다').waitFor();
    expect(await accessibilityProblems(stranger.page)).toEqual([]);
  });

  test('a service that is away is said to be, and can be asked again', async () => {
    const { page, context, path } = await aPayer({ goes: false });
    await context.route('**/api/payments/order/*', (route) =>
      route.fulfill({
        status: 503,
        contentType: 'application/problem+json',
        json: { code: 'ROLE_UNAVAILABLE', status: 503 },
      }),
    );
    await page.goto(path);
    await page.getByText('일시적으로 이용할 수 없습니다').waitFor();
    await context.unroute('**/api/payments/order/*');
    await page.getByRole('button', { name: '다시 시도' }).click();
    await payButton(page).waitFor();
  });

  test('from the bookings one gets to the same order, and money that went back is said to have', async () => {
    const { page, context, path, totalKrw } = await aPayer({
      goes: false,
      locale: 'en-US',
      theme: 'dark',
      width: 320,
      height: 640,
      touch: true,
    });
    await page.goto('/my/reservations');
    await page.getByRole('button', { name: /^Pay ₩/ }).dblclick();
    await page.waitForURL(`**${path}`);
    await payButton(page).waitFor();
    expect(await sidewaysOverflow(page)).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    const payment = {
      ...{ status: 'orphaned', amountKrw: totalKrw, capturedKrw: totalKrw, refundedKrw: 0, refundPendingKrw: totalKrw },
      ...{ account: null, declineReason: null },
    };
    await retellOrder(context, () => ({ state: 'refunded', payment }));
    await page.reload();
    await slipTitle(page, 'Your money is on its way back').waitFor();
    expect(await sidewaysOverflow(page)).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test(`needs at most ${scriptBytesMax / 1_000} kB of script, compressed, and nothing moves while it loads`, async () => {
    const { context, path } = await aPayer({ goes: false });
    // Somebody who has nothing of the site yet but is signed in.
    const fresh = await visitor();
    await fresh.context.addCookies(await context.cookies());
    const { page } = fresh;
    const layoutShift = await watchLayoutShift(page);
    const expectSmall = await watchScriptSize(page);
    // What is fetched ahead when nothing else is to do is no part of the first load, however slow this machine is.
    await page.addInitScript(`
      const start = setTimeout;
      globalThis.setTimeout = (act, ms, ...rest) => (ms >= 1500 ? 0 : start(act, ms, ...rest));
    `);
    await page.goto(path);
    await payButton(page).waitFor();
    await expect.poll(() => page.getByText('예매 수수료', { exact: true }).isVisible(), within).toBe(true);
    await expectSmall();
    expect(await layoutShift()).toBeLessThan(0.05);
  });
});

/** Of the hall that `publishSale` builds: sections of three rows of five. */
function seatOf(index: number): string {
  return `S${1 + Math.floor(index / 15)}-${1 + Math.floor((index % 15) / 5)}-${1 + (index % 5)}`;
}
