import { expect, test } from 'vitest';
import { startTestApp } from '#test/kit/app.ts';
import { aClient, demoPassword } from '#test/kit/client.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { accessibilityProblems } from './kit/axe.ts';
import { aBrowser, type VisitorOptions, within } from './kit/browser.ts';
import { hallOf } from './kit/hall.ts';
import { sidewaysOverflow } from './kit/page-facts.ts';
import { scriptSeats } from './kit/seat-script.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

describeWith('chromium', 'my bookings and tickets', async () => {
  const app = await startTestApp({ demo: true });
  const { visitor } = await aBrowser(app.url);
  const client = aClient(app.url);
  const onSale = (await client.listEvents({ query: { status: 'on_sale' } })).items;
  const eventId = onSale.find(({ priceMaxKrw }) => priceMaxKrw === 165_000)?.id ?? '';
  const hall = await hallOf(client, eventId);

  /** Somebody who is signed in, with scripted bookings: none at first. */
  async function owner(options: VisitorOptions = {}) {
    const someone = await visitor(options);
    const script = await scriptSeats(someone.context, hall);
    await someone.page.goto('/login?next=/my/tickets');
    await someone.page.locator('input[autocomplete=username]').fill('buyer9@urr.test');
    await someone.page.locator('input[autocomplete=current-password]').fill(demoPassword);
    await someone.page.locator('main button[type=submit]').click();
    await someone.page.waitForURL(({ pathname }) => pathname === '/my/tickets');
    return { ...someone, script };
  }

  function aTicket(label: string, changes: Record<string, unknown> = {}) {
    const startsAt = new Date(Date.now() + 30 * dayMs).toISOString();
    return {
      id: `01990000-0000-7000-8000-${label.padStart(12, '0')}`,
      reservationId: '01990000-0000-7000-8000-0000000000aa',
      reservationNumber: 'K7M2-P4QX',
      eventId,
      event: {
        title: '먼 데서 온 바람',
        titleEn: 'Wind from Afar',
        venue: '여울아트홀',
        venueEn: 'Yeoul Arts Hall',
        startsAt,
        doorsAt: startsAt,
        cancelled: false,
      },
      seat: { seatId: `B-3-${label}`, section: 'B', row: '3', label, grade: 'VIP', priceKrw: 165_000 },
      area: null,
      priceKrw: 165_000,
      feeKrw: 3_000,
      state: 'issued',
      version: 1,
      issuedAt: startsAt,
      checkedInAt: null,
      voidReason: null,
      ...changes,
    };
  }

  const aBooking = (status: string, changes: Record<string, unknown> = {}) => ({
    id: '01990000-0000-7000-8000-0000000000aa',
    reservationNumber: 'K7M2-P4QX',
    eventId,
    status,
    paymentStatus: 'none',
    seats: [{ seatId: 'B-3-1', section: 'B', row: '3', label: '1', grade: 'VIP', priceKrw: 165_000 }],
    items: [],
    feeKrw: 3_000,
    totalKrw: 168_000,
    expiresAt: new Date(Date.now() + 50 * minuteMs).toISOString(),
    fence: 1,
    createdAt: new Date().toISOString(),
    ...changes,
  });

  const seat = { section: 'B', row: '3', grade: 'VIP', priceKrw: 165_000 };

  test('without tickets there is a way on, and strangers sign in first', async () => {
    const { page } = await owner();
    await page.getByRole('heading', { name: '아직 티켓이 없습니다' }).waitFor();
    await page.getByRole('link', { name: '공연 찾아보기' }).waitFor();
    await page.goto('/my/reservations');
    await page.getByRole('heading', { name: '예매한 공연이 없습니다' }).waitFor();
    const stranger = await visitor();
    for (const path of ['/my/tickets', '/my/reservations']) {
      await stranger.page.goto(path);
      await stranger.page.waitForURL(({ pathname }) => pathname === '/login');
    }
  });

  test('tickets are leafed through, white on dark, and only the one in sight takes the focus', async () => {
    const { page, script } = await owner({ theme: 'dark', width: 390, height: 844, touch: true });
    script.tickets = [aTicket('2'), aTicket('1'), aTicket('9', { state: 'void' })];
    await page.reload();
    const shown = page.getByRole('region', { name: '내 티켓' });
    await shown.getByText('2장 중 1번째').waitFor();
    await shown.getByText('B구역 3열 1번').waitFor();
    await shown.getByRole('img', { name: 'B구역 3열 1번 입장용 QR 코드' }).waitFor();
    const ground = await page.evaluate("getComputedStyle(document.querySelector('[data-qr] rect')).fill");
    expect(ground).toBe('rgb(255, 255, 255)');
    await page.getByRole('button', { name: '다음 티켓' }).click();
    await shown.getByText('2장 중 2번째').waitFor();
    await page.getByRole('button', { name: '이전 티켓' }).focus();
    await page.keyboard.press('ArrowLeft');
    await shown.getByText('2장 중 1번째').waitFor();
    await page.getByText('지난 티켓과 취소된 티켓').click();
    await page.getByText('이 티켓으로는 입장할 수 없습니다.').waitFor();
    expect(await sidewaysOverflow(page)).toBe(0);
  });

  test('a ticket that was seen once opens without a network, and is gone with the session', async () => {
    const { page, context, script } = await owner();
    script.tickets = [aTicket('1')];
    await page.reload();
    await page.locator('[data-qr]').waitFor();
    const isKept = "caches.match('/my/tickets').then((kept) => kept !== undefined)";
    await expect.poll(() => page.evaluate(isKept), within).toBe(true);
    await expect
      .poll(() => page.evaluate("(localStorage.getItem('urr.tickets') ?? '').includes('urr1.')"), within)
      .toBe(true);
    await context.route('**/api/**', (route) => route.abort());
    await context.setOffline(true);
    await page.reload();
    await page.getByText('연결이 없어').waitFor();
    await page.getByText('B구역 3열 1번').waitFor();
    await page.locator('[data-qr]').waitFor();
    await context.setOffline(false);
    await context.unroute('**/api/**');
    await page.goto('/me');
    await page.getByRole('button', { name: '로그아웃' }).click();
    await expect.poll(() => page.evaluate("localStorage.getItem('urr.tickets')"), within).toBeNull();
  });

  test('bookings stand where one looks for them, with their time and what can be done', async () => {
    const { page, script } = await owner();
    script.reservations = [
      aBooking('pending', { id: '01990000-0000-7000-8000-0000000000ab' }),
      aBooking('confirmed', { paymentStatus: 'paid' }),
      aBooking('cancelled', { id: '01990000-0000-7000-8000-0000000000ac', paymentStatus: 'refund_requested' }),
    ];
    await page.goto('/my/reservations');
    await page
      .getByRole('timer')
      .filter({ hasText: /선점 4\d:\d\d 남음/ })
      .waitFor();
    await page.getByRole('link', { name: '이어서 하기' }).waitFor();
    await page.getByText('결제 완료').waitFor();
    await page.getByRole('tab', { name: '다가오는 공연 2' }).press('ArrowRight');
    await page.getByRole('heading', { name: '지난 공연이 없습니다' }).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByText('환불 접수됨').waitFor();
  });

  test('the dialog to cancel names each ticket, and can be left', async () => {
    const { page, script } = await owner();
    script.reservations = [aBooking('confirmed', { paymentStatus: 'paid' })];
    script.tickets = [aTicket('1'), aTicket('2', { state: 'checked_in' })];
    await page.goto('/my/reservations');
    await page.getByRole('button', { name: '예매 취소' }).click();
    const dialog = page.getByRole('dialog', { name: '예매를 취소하시겠습니까?' });
    await dialog.getByLabel('B구역 3열 1번').waitFor();
    expect(await dialog.getByLabel('B구역 3열 2번').isDisabled()).toBe(true);
    await dialog.getByLabel('B구역 3열 1번').uncheck();
    expect(await dialog.getByRole('button', { name: '0매 취소하기' }).getAttribute('aria-disabled')).toBe('true');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  test('which tickets were cancelled is on the card, and there is nothing to press when none can be', async () => {
    const { page, script } = await owner();
    script.reservations = [
      aBooking('partially_cancelled', {
        paymentStatus: 'partially_refunded',
        seats: ['1', '2'].map((label) => ({ ...seat, seatId: `B-3-${label}`, label })),
      }),
    ];
    script.tickets = [aTicket('2', { state: 'void' }), aTicket('1', { state: 'checked_in' })];
    await page.goto('/my/reservations');
    await page.getByRole('listitem').filter({ hasText: '2번' }).getByText('취소됨').waitFor();
    expect(await page.getByRole('article').getByText('취소됨').count()).toBe(1);
    await page.getByRole('button', { name: '예매 취소' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('취소할 수 있는 티켓이 없습니다.').waitFor();
    expect(await dialog.getByRole('button').allTextContents()).toEqual(['취소하지 않기']);
    // The ticket that is left shows no code any more.
    await page.goto('/my/tickets');
    await page.getByText('입장하셨습니다').or(page.getByText('이 티켓으로는 입장할 수 없습니다')).first().waitFor();
    expect(await page.getByText('이 QR 코드를 보여 주세요').count()).toBe(0);
  });

  test('what goes back is shown ticket by ticket, and anew when it has become less', async () => {
    const { page, script } = await owner({ width: 320, height: 640, touch: true });
    script.reservations = [aBooking('confirmed', { paymentStatus: 'paid', totalKrw: 336_000, feeKrw: 6_000 })];
    script.tickets = [aTicket('1'), aTicket('2')];
    await page.goto('/my/reservations');
    await page.getByRole('button', { name: '예매 취소' }).click();
    const dialog = page.getByRole('dialog');
    const sum = dialog.getByRole('status').filter({ hasText: '환불 합계' });
    await sum.getByText('297,000원').waitFor();
    await dialog.getByText('공연 7~9일 전이라 취소 수수료는 10%입니다.').waitFor();
    for (const amount of ['165,000원', '− 16,500원', '− 3,000원', '148,500원']) {
      expect(await dialog.getByText(amount, { exact: true }).count()).toBe(2);
    }
    await dialog.getByText(/이 금액은 .* 전까지 취소하실 때 적용됩니다/).waitFor();
    expect(await sidewaysOverflow(page)).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByLabel('B구역 3열 1번').uncheck();
    await sum.getByText('148,500원').waitFor();
    await dialog.getByLabel('B구역 3열 1번').check();
    await sum.getByText('297,000원').waitFor();

    // Midnight passes while one reads.
    script.percentKept = 20;
    await dialog.getByRole('button', { name: '2매 취소하기' }).click();
    await dialog.getByText('그사이 환불 금액이 바뀌었습니다.').waitFor();
    await sum.getByText('264,000원').waitFor();
    await dialog.getByRole('button', { name: '2매 취소하기' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(script.cancelled).toEqual([{ refundKrw: 297_000 }, { refundKrw: 264_000 }]);
  });

  test('money that is on its way back, or has gone back, is on the card', async () => {
    const { page, script } = await owner();
    script.reservations = [
      aBooking('partially_cancelled', { paymentStatus: 'refund_requested', refundedKrw: 0, refundPendingKrw: 148_500 }),
    ];
    await page.goto('/my/reservations');
    await page.getByText('148,500원 환불이 진행 중입니다.').waitFor();
    script.reservations = [
      aBooking('partially_cancelled', {
        paymentStatus: 'partially_refunded',
        refundedKrw: 148_500,
        refundPendingKrw: 0,
      }),
    ];
    // It is heard of without a reload.
    await page.getByText('148,500원을 환불했습니다.').waitFor();
  });

  test.each([
    ['light', 'ko-KR'],
    ['dark', 'en-US'],
  ] as const)('passes axe and fits a narrow phone (%s, %s)', async (theme, locale) => {
    const { page, script } = await owner({ theme, locale, width: 320, height: 640, touch: true });
    script.tickets = [aTicket('1'), aTicket('2')];
    script.reservations = [aBooking('pending'), aBooking('confirmed', { id: '01990000-0000-7000-8000-0000000000ab' })];
    await page.reload();
    await page.locator('[data-qr]').first().waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await sidewaysOverflow(page)).toBe(0);
    await page.goto('/my/reservations');
    await page.getByRole('tab').first().waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await sidewaysOverflow(page)).toBe(0);
  });
});
