import { expect, test } from 'vitest';
import { startTestApp } from '#test/kit/app.ts';
import { aClient } from '#test/kit/client.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { accessibilityProblems } from './kit/axe.ts';
import { aScriptedBuyer, chooseSeats, holdButton } from './kit/booking.ts';
import { aBrowser, type VisitorOptions } from './kit/browser.ts';
import { lookAgain, stopClock, stopClockAt } from './kit/page-clock.ts';
import { focused, sidewaysOverflow } from './kit/page-facts.ts';
import { inSlot, noPlace } from './kit/queue-script.ts';
import { scriptBytesMax, watchScriptSize } from './kit/script-size.ts';

const hourMs = 3_600_000;

describeWith('chromium', 'choosing seats, moment by moment', async () => {
  const app = await startTestApp({ demo: true });
  const { visitor } = await aBrowser(app.url);
  const client = aClient(app.url);
  const onSale = (await client.listEvents({ query: { status: 'on_sale' } })).items;
  const eventId = onSale.find(({ priceMaxKrw }) => priceMaxKrw === 165_000)?.id ?? '';
  const clubId = onSale.find(({ priceMaxKrw }) => priceMaxKrw === 77_000)?.id ?? '';
  const buyer = (options: VisitorOptions = {}) => aScriptedBuyer(visitor, { client, eventId }, options);
  /** Their clock can be stopped: what is said in passing then stays, and what takes minutes takes none. */
  const timelessBuyer = () => aScriptedBuyer(visitor, { client, eventId, hasOwnClock: true });
  const held = { level: 1, name: '선점한 자리' } as const;

  test('with the keyboard alone: section, seat, hold', async () => {
    const { page, complaints } = await buyer();
    await page.getByRole('button', { name: /^1층 B구역/ }).press('Enter');
    const first = page.getByRole('button', { name: '1층 B구역 1열 1번, VIP석, 165,000원, 선택 가능' });
    await first.focus();
    for (const key of ['ArrowRight', 'ArrowDown', 'Space']) await page.keyboard.press(key);
    await page.getByRole('button', { name: '1층 B구역 2열 2번, VIP석, 165,000원, 선택함', pressed: true }).waitFor();
    for (const key of ['End', 'Enter']) await page.keyboard.press(key);
    await page.getByRole('button', { name: /1층 B구역 2열 22번, .*선택함/ }).waitFor();
    // One stop for the Tab key, whichever seat had the focus last.
    expect(await page.locator('[data-seat][tabindex="0"]').count()).toBe(1);
    await holdButton(page).press('Enter');
    await page.getByRole('heading', held).waitFor();
    expect((await focused(page)).text).toBe('선점한 자리');
    await page.getByText('336,000원', { exact: true }).waitFor();
    expect(complaints()).toEqual([]);
  });

  test('a press on the map opens the section, and a press on a seat chooses it', async () => {
    const { page } = await buyer();
    const map = page.locator('[data-seat-map]');
    const box = await map.boundingBox();
    if (box === null) throw new Error('the map has no room');
    await map.click({ position: { x: box.width / 2, y: box.height * 0.4 } });
    await page.getByRole('region', { name: '1층 B구역 좌석' }).waitFor();
    await page.getByRole('button', { name: '크게' }).click();
    await map.click({ position: { x: box.width / 2, y: box.height / 2 } });
    await page.getByRole('button', { name: /^1층 B구역 .*빼기$/ }).waitFor();
  });

  test('a seat just taken goes, a toast says so, the others stay', async () => {
    const { page, seats } = await timelessBuyer();
    await chooseSeats(page, '1층 A구역', [/A구역 1열 1번, /, /A구역 1열 2번, /]);
    await stopClock(page);
    seats.take(0);
    await lookAgain(page);
    await page.getByRole('status').getByText('방금 다른 분이 먼저 잡았습니다: 1층 A구역 1열 1번.').waitFor();
    await page.getByRole('button', { name: /A구역 1열 1번, .*방금 나감/ }).waitFor();
    await page.getByRole('button', { name: /A구역 1열 2번, .*선택함/ }).waitFor();
    expect(await page.getByRole('button', { name: /빼기$/ }).count()).toBe(1);
  });

  test('no more than one person may have, and nothing that is taken', async () => {
    const { page, seats } = await timelessBuyer();
    seats.take(5, 2);
    await chooseSeats(
      page,
      '1층 A구역',
      [1, 2, 3, 4].map((label) => new RegExp(`A구역 1열 ${label}번, `)),
    );
    await page.getByRole('button', { name: /A구역 1열 6번, .*판매됨/ }).waitFor();
    await stopClock(page);
    await page.getByRole('button', { name: /A구역 1열 5번, / }).click();
    await page.getByRole('status').getByText('한 분이 4매까지 고르실 수 있습니다.').waitFor();
    await page.getByRole('button', { name: /A구역 1열 6번, .*판매됨/ }).click({ force: true });
    await page.getByRole('status').getByText('지금은 고를 수 없는 좌석입니다.').waitFor();
    await page.getByRole('button', { name: /A구역 1열 5번, .*선택 가능/ }).waitFor();
    expect(await page.getByRole('button', { name: /빼기$/ }).count()).toBe(4);
  });

  test('what was chosen survives a reload and the way back', async () => {
    const { page } = await buyer();
    await chooseSeats(page, '1층 A구역', [/A구역 1열 1번, /]);
    await page.reload();
    await page.getByRole('button', { name: '1층 A구역 1열 1번 빼기' }).waitFor();
    await page.goto('/');
    await page.goBack();
    await page.getByRole('button', { name: '1층 A구역 1열 1번 빼기' }).waitFor();
  });

  test('a lost answer is asked for again with the same key, also after a reload, and nothing is held twice', async () => {
    const { page, seats } = await buyer();
    await chooseSeats(page, '1층 A구역', [/A구역 1열 1번, /]);
    seats.refuse({ status: 503, code: 'DATABASE_UNAVAILABLE', retryAfterSeconds: 30 }, 20);
    await holdButton(page).click();
    await page.getByRole('alert').getByText('일시적으로 이용할 수 없습니다.').waitFor();
    await page.reload();
    await page.locator('[data-action-bar]').waitFor();
    seats.refuse({ status: 503, code: 'DATABASE_UNAVAILABLE' }, 0);
    seats.loseAnswers(1);
    await holdButton(page).click();
    await page.getByRole('heading', held).waitFor();
    expect(new Set(seats.reserved.map(({ key }) => key)).size).toBe(1);
    expect(seats.reserved.length).toBeGreaterThan(2);
  });

  test('what one tab holds, another shows; and what it gives up, too', async () => {
    const { page, context } = await buyer();
    const other = await context.newPage();
    await other.goto(`/events/${eventId}/seats`);
    await other.locator('[data-action-bar]').waitFor();
    await chooseSeats(page, '1층 A구역', [/A구역 1열 1번, /]);
    await holdButton(page).click();
    for (const tab of [page, other]) await tab.getByRole('heading', held).waitFor();
    await other.getByRole('button', { name: '선점 포기' }).click();
    await other.getByRole('dialog').getByRole('button', { name: '선점 포기' }).click();
    for (const tab of [page, other]) await tab.locator('[data-action-bar]').waitFor();
  });

  test('a slot that ends while choosing is told where it happens, with a way on', async () => {
    const { page, queue } = await buyer();
    await chooseSeats(page, '1층 A구역', [/A구역 1열 1번, /]);
    // Its end is told once the seat is chosen, however long that took; from there the page's own clock runs.
    queue.answer = inSlot(2_000);
    await lookAgain(page);
    const told = page.getByRole('alert').filter({ hasText: '고르기만 한 좌석은 잡혀 있지 않습니다.' });
    await told.waitFor();
    queue.answer = noPlace;
    await told.getByRole('link', { name: '다시 줄 서기' }).click();
    await page.waitForURL(`**/queue/${eventId}`);
  });

  test('what is held outlives the slot, and is found again after a reload', async () => {
    const { page, queue } = await buyer();
    await chooseSeats(page, '1층 A구역', [/A구역 1열 1번, /]);
    await holdButton(page).click();
    await page.getByRole('heading', held).waitFor();
    queue.answer = noPlace;
    await lookAgain(page);
    await page.getByText('선점한 자리는 아래 시간까지 그대로 결제하실 수 있습니다.').waitFor();
    await page.reload();
    await page.getByRole('heading', held).waitFor();
    expect(await page.getByRole('button', { name: '좌석 바꾸기' }).count()).toBe(0);
  });

  test('the end of a hold is warned of and told', async () => {
    const { page, seats } = await timelessBuyer();
    seats.holdMs = hourMs;
    await chooseSeats(page, '1층 A구역', [/A구역 1열 1번, /]);
    await holdButton(page).click();
    await page.getByRole('heading', held).waitFor();
    const endsAt = Date.parse(String(seats.mine?.expiresAt));
    await stopClockAt(page, endsAt - 70_000);
    await page.getByText('선점 01:10 남음').waitFor();
    const warning = (words: string) => page.getByRole('alert').filter({ hasText: words });
    await page.clock.fastForward(11_000);
    await warning('선점 시간이 1분 남았습니다.').waitFor({ state: 'attached' });
    await page.clock.fastForward(40_000);
    await warning('선점 시간이 20초 남았습니다.').waitFor({ state: 'attached' });
    await page.clock.fastForward(20_000);
    await page.getByRole('heading', { level: 1, name: '선점 시간이 끝났습니다' }).waitFor();
    await page.clock.resume();
    seats.mine = null;
    await page.getByRole('button', { name: '다시 고르기' }).click();
    await page.locator('[data-action-bar]').waitFor();
  });

  test('without a slot one is led to the line', async () => {
    const { page, context } = await visitor();
    await context.route('**/api/reservations/my**', (route) =>
      route.fulfill({ json: { items: [], nextCursor: null } }),
    );
    await context.route('**/api/queue/**', (route) => route.fulfill({ json: noPlace }));
    await page.goto(`/events/${eventId}/seats`);
    await page.waitForURL(`**/queue/${eventId}`);
  });

  test('a refusal says what to do next, and what was chosen stays', async () => {
    const { page, seats } = await buyer();
    await chooseSeats(page, '1층 A구역', [/A구역 1열 1번, /]);
    for (const [problem, words] of [
      [{ status: 409, code: 'PURCHASE_LIMIT', limit: 4, have: 3 }, '지금 3매를 갖고 계시고, 한 분이 4매까지입니다.'],
      [{ status: 409, code: 'SEAT_TAKEN', taken: ['A-1-1'] }, '다른 좌석을 골라 주세요.'],
      [{ status: 409, code: 'SALE_OVER' }, '이미 선점한 자리는 내 예매에서 확인하세요.'],
      [
        { status: 409, code: 'TIER_NOT_OPEN', opensAt: '2030-01-01T11:00:00Z' },
        '2030년 1월 1일 (화) 오후 8:00에 열립니다.',
      ],
    ] as const) {
      seats.refuse(problem);
      await holdButton(page).click();
      await page.getByRole('alert').getByText(words).waitFor();
      await page.getByRole('button', { name: '1층 A구역 1열 1번 빼기' }).waitFor();
    }
  });

  test.each([
    ['light', 'ko-KR'],
    ['dark', 'en-US'],
  ] as const)('passes axe in every state (%s, %s)', async (theme, locale) => {
    const { page, queue, seats } = await buyer({ theme, locale });
    const problems: string[] = [];
    const look = async (state: string) => {
      problems.push(...(await accessibilityProblems(page)).map((problem) => `${state} ${problem}`));
    };
    const act = page.locator('[data-action-bar] button').last();
    await look('sections');
    await page.getByRole('button', { name: /^(자동 배정|Best available)$/ }).click();
    await page.getByRole('button', { name: /자동 배정으로|best seats/ }).waitFor();
    await look('best available');
    await page.getByRole('button', { name: /^(1층 A구역|Level 1, section A)/ }).click();
    for (const place of [0, 1]) await page.locator('[data-seat]').nth(place).click();
    await look('seats');
    seats.take(0);
    await lookAgain(page);
    await page.getByRole('button', { name: /방금 나감|just taken/ }).waitFor();
    await look('just taken');
    seats.refuse({ status: 409, code: 'PURCHASE_LIMIT', limit: 4, have: 3 });
    await act.click();
    await page
      .getByRole('alert')
      .getByText(/3매를 갖고|You have 3/)
      .waitFor();
    await look('refused');
    await act.click();
    await page.locator('#held-title').waitFor();
    await look('held');
    await page.getByRole('button', { name: /선점 포기|Give up$/ }).click();
    await look('giving up');
    await page.keyboard.press('Escape');
    seats.mine = { ...seats.mine, status: 'expired' };
    await lookAgain(page);
    await page.getByRole('heading', { name: /선점 시간이 끝났습니다|Your hold has ended/ }).waitFor();
    await look('hold over');
    seats.mine = null;
    await page.getByRole('button', { name: /다시 고르기|Choose again/ }).click();
    await act.waitFor();
    queue.answer = noPlace;
    await lookAgain(page);
    await page.getByRole('heading', { level: 1, name: /예매 시간이 끝났습니다|Your time to book is over/ }).waitFor();
    await look('slot over');
    expect(problems).toEqual([]);
  });

  test.each(['ko-KR', 'en-US'])('fits a narrow phone (%s)', async (locale) => {
    const narrow = { width: 320, height: 640, touch: true, locale };
    const { page } = await buyer(narrow);
    expect(await sidewaysOverflow(page)).toBe(0);
    await page.getByRole('button', { name: /^(1층 B구역|Level 1, section B)/ }).click();
    await page.locator('[data-seat]').first().click();
    expect(await sidewaysOverflow(page)).toBe(0);
    await page.locator('[data-action-bar] button').last().click();
    await page.locator('#held-title').waitFor();
    expect(await sidewaysOverflow(page)).toBe(0);
    const standing = await aScriptedBuyer(visitor, { client, eventId: clubId }, narrow);
    expect(new URL(standing.page.url()).pathname).toBe(`/events/${clubId}/book`);
    await standing.page
      .locator('[data-action-bar]')
      .getByText(/0매 · 0원|0 tickets · ₩0/)
      .waitFor();
    expect(await sidewaysOverflow(standing.page)).toBe(0);
    expect(await accessibilityProblems(standing.page)).toEqual([]);
    await standing.page
      .getByRole('button', { name: /하나 늘리기|One more/ })
      .first()
      .click();
    await standing.page.locator('[data-action-bar] button').last().click();
    await standing.page.locator('#held-title').waitFor();
    expect(await sidewaysOverflow(standing.page)).toBe(0);
    expect(await accessibilityProblems(standing.page)).toEqual([]);
  });

  test('without a network what is known stays, is said to be old, and goes on', async () => {
    const { page, context } = await buyer();
    await chooseSeats(page, '1층 A구역', [/A구역 1열 1번, /]);
    await context.route('**/stream?since=*', (route) => route.abort());
    await page.getByText('연결이 고르지 않아').waitFor();
    await page.getByRole('button', { name: '1층 A구역 1열 1번 빼기' }).waitFor();
    await context.unroute('**/stream?since=*');
    await page.getByText('연결이 고르지 않아').waitFor({ state: 'detached' });
  });

  test(`needs at most ${scriptBytesMax / 1_000} kB of script, compressed`, async () => {
    const { page } = await buyer();
    const expectSmall = await watchScriptSize(page);
    // What is fetched ahead when nothing else is to do is no part of the first load, however slow this machine is.
    await page.addInitScript(`
      const start = setTimeout;
      globalThis.setTimeout = (act, ms, ...rest) => (ms >= 1500 ? 0 : start(act, ms, ...rest));
    `);
    await page.reload();
    await page.locator('[data-seat-map]').waitFor();
    await expectSmall();
  });
});
