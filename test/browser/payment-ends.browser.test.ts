import { expect, test } from 'vitest';
import { startTestApp } from '#test/kit/app.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { accessibilityProblems } from './kit/axe.ts';
import { aBrowser, type VisitorOptions, within } from './kit/browser.ts';
import { focused, sidewaysOverflow } from './kit/page-facts.ts';
import { anOrder, fillCard, payButton, signInAt, slipTitle } from './kit/paying.ts';
import { publishSale } from './kit/shows.ts';

describeWith('chromium', 'ends of paying', async () => {
  const app = await startTestApp({ demo: true, env: { URR_QUEUE_ADMISSION_INTERVAL_MS: '200' } });
  const { visitor } = await aBrowser(app.url);
  const eventId = await publishSale(app.url);
  let buyersUsed = 0;

  async function aPayer(options: VisitorOptions = {}) {
    buyersUsed += 1;
    const email = `buyer${buyersUsed}@urr.test`;
    const order = await anOrder(app.url, { eventId, email, seatIds: [`S1-1-${buyersUsed}`] });
    const someone = await visitor(options);
    await signInAt(someone.page, order.path, email);
    return { ...someone, ...order };
  }

  test('declined three times, there is one way on: to give up what is held and to choose again', async () => {
    const { page, buyer, reservationId } = await aPayer({ width: 320, height: 640, touch: true });
    for (const [card, reason] of [
      ['0002', '카드사에서 승인하지 않았습니다'],
      ['9995', '잔액이 부족합니다'],
      ['0069', '유효 기간이 지난 카드입니다'],
    ] as const) {
      await fillCard(page, card);
      await payButton(page).click();
      await page.getByText(reason).waitFor();
    }
    await slipTitle(page, '더 이상 결제를 시도할 수 없습니다').waitFor();
    expect(await payButton(page).count()).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await sidewaysOverflow(page)).toBe(0);
    await page.getByRole('button', { name: '선점 포기하고 다시 고르기' }).click();
    await page.getByRole('dialog').getByRole('button', { name: '선점 포기' }).click();
    await page.waitForURL(({ pathname }) => !pathname.startsWith('/payment/'));
    expect(await buyer.getReservation({ params: { reservationId } })).toMatchObject({ status: 'released' });
  });

  test('signed out in another tab one signs in again; somebody else sees nothing of the order', async () => {
    const { page, context, path } = await aPayer();
    await payButton(page).waitFor();
    const other = await context.newPage();
    await other.goto('/me');
    await other.getByRole('button', { name: '로그아웃' }).click();
    await page.waitForURL(({ pathname, searchParams }) => pathname === '/login' && searchParams.get('next') === path);
    await signInAt(page, path, `buyer${buyersUsed}@urr.test`);
    await payButton(page).waitFor();
    await other.goto('/me');
    await other.getByRole('button', { name: '로그아웃' }).click();
    await page.waitForURL(({ pathname }) => pathname === '/login');
    await signInAt(other, '/me', 'buyer20@urr.test');
    // The form follows the other tab, to the order that it was to lead to.
    await page.waitForURL(({ pathname }) => pathname === path);
    await page.getByRole('heading', { level: 1, name: '없는 주문입니다' }).waitFor();
    expect(await payButton(page).count()).toBe(0);
  });

  test('a deposit that its buyer has cancelled is not told as one that was missed', async () => {
    const { page, buyer, reservationId } = await aPayer();
    await page.getByText('가상계좌 입금', { exact: true }).click();
    await page.getByLabel('은행', { exact: true }).selectOption('국민');
    await page.getByLabel('예금주').fill('김우르');
    await page.getByLabel('계좌 번호').fill('110-222-333333');
    await page.getByLabel('전체 동의').check();
    await payButton(page).click();
    await slipTitle(page, '입금을 기다리고 있습니다').waitFor();
    await buyer.cancelReservation({ params: { reservationId }, body: {} });
    await slipTitle(page, '더 이상 결제할 수 없는 주문입니다').waitFor();
  });

  test('what was bought is named in the language of the page, and its title has the focus', async () => {
    const { page } = await aPayer({ locale: 'en-US' });
    await fillCard(page, '4242');
    await payButton(page).click();
    await slipTitle(page, 'Your payment is complete').waitFor();
    await page.getByText('Your booking is confirmed.').waitFor();
    await page.getByText(/ · 1 ticket$/).waitFor();
    await expect.poll(async () => (await focused(page)).id, within).toBe('slip-title');
  });
});
