import { expect, test } from 'vitest';
import { startTestApp } from '#test/kit/app.ts';
import { aClient, demoPassword } from '#test/kit/client.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { accessibilityProblems } from './kit/axe.ts';
import { enterTurn } from './kit/booking.ts';
import { aBrowser, type Visitor, type VisitorOptions, within } from './kit/browser.ts';
import { hallOf } from './kit/hall.ts';
import { lookAgain, lookAway, lookBack, lookUntil, ownClock, stopClock, stopClockAt } from './kit/page-clock.ts';
import { focused, sidewaysOverflow, watchLayoutShift } from './kit/page-facts.ts';
import { closedUntil, inSlot, noPlace, type QueueScript, scriptQueue, waitingAt } from './kit/queue-script.ts';
import { scriptBytesMax, watchScriptSize } from './kit/script-size.ts';
import { scriptSeats } from './kit/seat-script.ts';

const hourMs = 3_600_000;

describeWith('chromium', 'waiting in the queue', async () => {
  const app = await startTestApp({ demo: true });
  const { visitor } = await aBrowser(app.url);
  const [event] = (await aClient(app.url).listEvents({ query: { status: 'on_sale' } })).items.filter(
    ({ priceMaxKrw }) => priceMaxKrw === 165_000,
  );
  const eventId = event?.id ?? '';
  const queuePath = `/queue/${eventId}`;
  const eventPath = `/events/${eventId}`;
  const seatsPath = `${eventPath}/seats`;
  const hall = await hallOf(aClient(app.url), eventId);

  /** Opens the queue and waits for this to be read. */
  async function open(page: Visitor['page'], text: string | RegExp): Promise<void> {
    await page.goto(queuePath);
    await page.getByText(text, { exact: true }).first().waitFor();
  }

  /** Somebody with a scripted queue. */
  async function waiter(options: VisitorOptions = {}) {
    const someone = await visitor(options);
    const queue = await scriptQueue(someone.context);
    await scriptSeats(someone.context, hall);
    return { ...someone, queue };
  }

  /** The first in line, on a page whose clock stands still. */
  async function beforeTheTurn(page: Visitor['page'], queue: QueueScript): Promise<void> {
    await ownClock(page);
    queue.answer = waitingAt(1);
    await open(page, '1번째');
    await stopClock(page);
  }

  test('begins at the button of an open sale, and shows position, waits and figures', async () => {
    const { page, queue, complaints } = await waiter();
    await page.goto(eventPath);
    await page.getByRole('link', { name: '예매하기' }).click();
    await page.getByText('1,234번째', { exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe(queuePath);
    await page.getByText('10–20분', { exact: true }).waitFor();
    await page.getByText('1,233명').waitFor();
    await page.getByText('4,444명').waitFor();
    await page.getByText('987 / 1,000명').waitFor();
    expect(await page.title()).toContain('1,234번째');
    expect(queue.calls[0]).toBe('check');

    queue.answer = waitingAt(300);
    await page.getByText('300번째', { exact: true }).waitFor();
    const progress = await page.getByRole('progressbar').getAttribute('aria-valuenow');
    expect(progress).toBe('76');
    // People who were away came back ahead: the server tells the truth, the page does not step back.
    queue.answer = waitingAt(350);
    const asked = queue.calls.length;
    await expect.poll(() => queue.calls.length, within).toBeGreaterThan(asked + 1);
    await page.getByText('300번째', { exact: true }).waitFor();
    expect(complaints()).toEqual([]);
  });

  test('survives a reload with its progress', async () => {
    const { page, queue } = await waiter();
    await page.goto(queuePath);
    await page.getByText('1,234번째', { exact: true }).waitFor();
    queue.answer = waitingAt(618);
    await page.reload();
    await page.getByText('618번째', { exact: true }).waitFor();
    expect(await page.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('50');
  });

  test('shows the operator’s message, a pause, and that nobody can tell the wait', async () => {
    const { page, queue } = await waiter();
    queue.answer = waitingAt(20, { message: '음향 점검 중입니다.', paused: true, estimatedWait: null });
    await page.goto(queuePath);
    await page.getByRole('status').filter({ hasText: '음향 점검 중입니다.' }).waitFor();
    await page.getByText('입장이 잠시 멈췄습니다.').waitFor();
    await page.getByText('지금은 알 수 없습니다', { exact: true }).waitFor();
  });

  test('announces the turn by title and alert, then goes on by itself to the seats with the time that is left', async () => {
    const { page, queue, complaints } = await waiter();
    await beforeTheTurn(page, queue);
    queue.answer = inSlot(hourMs);
    await lookUntil(page, page.getByRole('alert').filter({ hasText: '입장하실 차례입니다' }));
    expect((await focused(page)).text).toBe('지금 입장하기');
    await expect.poll(() => page.title(), within).toBe('● 지금 입장하세요 · 우르르');
    await page.getByText('5초 뒤에 자동으로').waitFor();
    await page.clock.runFor(4_000);
    await page.getByText('1초 뒤에 자동으로').waitFor();
    await page.clock.resume();
    await page.waitForURL(`**${seatsPath}`);
    const banner = page.getByRole('region', { name: '지금 예매하실 차례입니다' });
    await banner.getByText(/오[전후] \d+:\d\d까지/).waitFor();
    await banner.getByText(/5\d분 \d+초 남았습니다/).waitFor();
    await page.goto(eventPath);
    await page.getByRole('link', { name: '좌석 고르기' }).waitFor();

    const other = await page.context().newPage();
    await other.goto(seatsPath);
    await other.getByRole('timer').first().waitFor();
    await banner.getByRole('button', { name: '차례 넘기기' }).click();
    await page.getByRole('dialog').getByRole('button', { name: '차례 넘기기' }).click();
    await banner.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: '예매하기' }).waitFor();
    expect(queue.calls).toContain('leave');
    // It is confirmed, the keyboard goes on from the page's content, and the other tab does not take it for lost time.
    await page.getByRole('region', { name: '내 대기 순서' }).getByText('차례를 넘겼습니다').waitFor();
    await expect.poll(async () => (await focused(page)).id, within).toBe('main');
    await other.getByRole('heading', { level: 1, name: '차례를 넘겼습니다' }).waitFor();
    expect(complaints()).toEqual([]);
  });

  test('a slot that ended elsewhere is no longer shown, and one kept by somebody else never claims to have ended', async () => {
    const { page, queue } = await waiter();
    await beforeTheTurn(page, queue);
    queue.answer = inSlot(hourMs);
    const enter = page.getByRole('button', { name: '지금 입장하기' });
    await lookUntil(page, enter);
    // At once, by the button: the seconds after which the page goes on by itself do not pass.
    await enter.click();
    const banner = page.getByRole('region', { name: '지금 예매하실 차례입니다' });
    await page.waitForURL(`**${seatsPath}`);
    await page.clock.resume();
    await page.goto(eventPath);
    await banner.waitFor();
    // A server that is not sure itself takes it from nobody, not even after the answer has been read.
    queue.answer = waitingAt(1, { stale: true });
    for (let times = 0; times < 2; times++) {
      const answered = page.waitForResponse((answer) => answer.url().includes('/api/queue/status/'));
      await page.reload();
      await (await answered).finished();
      await banner.waitFor();
    }
    queue.answer = noPlace;
    await page.reload();
    await page.getByRole('link', { name: '예매하기' }).waitFor();
    expect(await banner.count()).toBe(0);
    expect(await page.getByText('예매 시간이 끝났습니다.').count()).toBe(0);
  });

  test('the end of a slot is warned about and told, wherever one has scrolled to', async () => {
    const { page, queue } = await waiter({ width: 390, height: 640, touch: true });
    await ownClock(page);
    queue.answer = inSlot(hourMs);
    await page.goto(queuePath);
    await enterTurn(page);
    const endsAt = Date.parse(String(queue.answer.slotEndsAt));
    await stopClockAt(page, endsAt - 50_000);
    await page.getByRole('alert').filter({ hasText: '예매 시간이 1분 남았습니다.' }).waitFor({ state: 'attached' });
    // Far down in the list, with the focus on something that goes away with it.
    await page.getByRole('button', { name: /^1층/ }).last().focus();
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    await page.clock.fastForward(51_000);
    await page.clock.resume();
    const places = page.getByRole('region', { name: '내 대기 순서' });
    await places.getByText('예매 시간이 끝났습니다. 다시 줄을 서실 수 있습니다.').waitFor();
    await page.getByRole('heading', { level: 1, name: '예매 시간이 끝났습니다' }).waitFor();
    await page.getByRole('link', { name: '다시 줄 서기' }).waitFor();
    expect([await page.evaluate('scrollY'), (await focused(page)).id]).toEqual([0, 'main']);
  });

  test('rings once the visitor has touched the page', async () => {
    const { page, queue } = await waiter();
    await page.addInitScript(`
      globalThis.tones = 0;
      const start = OscillatorNode.prototype.start;
      OscillatorNode.prototype.start = function (...when) { globalThis.tones += 1; return start.apply(this, when); };
    `);
    queue.answer = waitingAt(2);
    await page.goto(queuePath);
    await page.getByText('2번째', { exact: true }).click();
    await page.getByRole('button', { name: '소리 알림 켜짐', pressed: true }).waitFor();
    queue.answer = inSlot(hourMs);
    await expect.poll(() => page.evaluate('globalThis.tones'), within).toBe(3);
  });

  test('leaving is asked about first, with the keyboard too, and ends the wait in every tab', async () => {
    const { page, context, queue } = await waiter();
    await page.goto(queuePath);
    const other = await context.newPage();
    await other.goto(queuePath);
    await other.getByText('1,234번째', { exact: true }).waitFor();

    await page.getByRole('button', { name: '줄에서 나가기' }).press('Enter');
    await page.getByRole('dialog', { name: '줄에서 나가시겠습니까?' }).waitFor();
    expect((await focused(page)).text).toBe('계속 기다리기');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(queue.calls).not.toContain('leave');

    await page.getByRole('button', { name: '줄에서 나가기' }).click();
    await page.getByRole('dialog').getByRole('button', { name: '줄에서 나가기' }).click();
    for (const tab of [page, other]) await tab.getByRole('heading', { name: '줄에서 나왔습니다' }).waitFor();

    queue.answer = waitingAt(5_000);
    await page.getByRole('button', { name: '다시 줄 서기' }).click();
    await page.getByText('5,000번째', { exact: true }).waitFor();
  });

  test('loses nothing without a network, says so, and goes on when it is back', async () => {
    const { page, context } = await waiter();
    await page.goto(queuePath);
    await page.getByText('1,234번째', { exact: true }).waitFor();
    await context.unroute('**/api/queue/**');
    await context.setOffline(true);
    await page.getByText('연결이 고르지 않습니다.').waitFor();
    await page.getByText('1,234번째', { exact: true }).waitFor();
    const again = await scriptQueue(context);
    again.answer = waitingAt(900);
    await context.setOffline(false);
    await page.getByText('900번째', { exact: true }).waitFor();
    await page.getByText('연결이 고르지 않습니다.').waitFor({ state: 'detached' });
  });

  test('asks at once when the visitor looks at the page again', async () => {
    const { page, queue } = await waiter();
    queue.answer = waitingAt(200_000, { nextPoll: 60 });
    await page.goto(queuePath);
    await page.getByText('200,000번째', { exact: true }).waitFor();
    queue.answer = waitingAt(199_000, { nextPoll: 60 });
    await lookAgain(page);
    await page.getByText('199,000번째', { exact: true }).waitFor();
  });

  test('a queue in trouble is explained and tried again', async () => {
    const { page, queue } = await waiter();
    queue.problem = { status: 503, code: 'STORE_UNAVAILABLE' };
    await page.goto(queuePath);
    await page.getByRole('alert').getByText('대기열을 일시적으로 이용할 수 없습니다.').waitFor();
    queue.problem = null;
    await page.getByText('1,234번째', { exact: true }).waitFor();
  });

  test('who comes too early sees the countdown and enters at the opening, and is never told that it is over', async () => {
    const { page, queue } = await waiter();
    await ownClock(page);
    const opensAt = Date.now() + hourMs;
    queue.answer = closedUntil(new Date(opensAt).toISOString());
    await page.goto(queuePath);
    await page.getByRole('heading', { name: '아직 열리지 않았습니다' }).waitFor();
    await page.getByRole('timer').waitFor();
    const early = queue.calls.length;
    // The question at the opening is under way for a while.
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    await page.route('**/api/queue/check/**', async (route) => {
      await answered;
      await route.fallback();
    });
    await stopClockAt(page, opensAt + 1);
    await page.getByText('순서를 받고 있습니다.').waitFor();
    await page.getByText('줄을 서는 중', { exact: true }).waitFor();
    await page.getByText('예매가 시작되었습니다.').waitFor({ state: 'attached' });
    expect(await page.getByText('지금은 줄을 설 수 없습니다').count()).toBe(0);
    queue.answer = waitingAt(7);
    answer();
    await page.clock.resume();
    await page.getByText('7번째', { exact: true }).waitFor();
    expect(queue.calls.slice(0, early + 1).every((call) => call === 'check')).toBe(true);
    expect(queue.calls.length).toBeGreaterThan(early);
  });

  test('who comes too late, or lost the place, is told and has a way on', async () => {
    const { page, queue } = await waiter();
    queue.answer = closedUntil(null);
    await page.goto(queuePath);
    await page.getByRole('heading', { name: '지금은 줄을 설 수 없습니다' }).waitFor();
    await page.getByRole('link', { name: '공연 정보 보기' }).waitFor();
    queue.answer = waitingAt(3);
    await page.reload();
    await page.getByText('3번째', { exact: true }).waitFor();
    queue.answer = noPlace;
    await page.getByRole('heading', { name: '대기 순서가 끝났습니다' }).waitFor();
  });

  test('without a session one signs in first and comes back to the line', async () => {
    const { page, queue } = await waiter();
    queue.problem = { status: 401, code: 'UNAUTHENTICATED' };
    await page.goto(queuePath);
    await page.getByLabel('이메일').fill('buyer9@urr.test');
    await page.getByLabel('비밀번호', { exact: true }).fill(demoPassword);
    queue.problem = null;
    await page.getByRole('main').getByRole('button', { name: '로그인' }).click();
    await page.getByText('1,234번째', { exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe(queuePath);
  });

  test('with the waiting room on one is sent there, and never to another site', async () => {
    const { page: sent, context, queue } = await waiter();
    queue.problem = { status: 403, code: 'WAITING_ROOM_REQUIRED', redirectTo: `/vwr/${eventId}` };
    await sent.goto(queuePath);
    await sent.waitForURL(`**/vwr/${eventId}`);
    queue.problem = { status: 403, code: 'WAITING_ROOM_REQUIRED', redirectTo: 'https://evil.test/' };
    // Another tab: the page of the waiting room leads on by itself.
    const page = await context.newPage();
    await page.goto(queuePath);
    await page.getByRole('alert').getByText('먼저 대기실에서 번호를 받아야 합니다.').waitFor();
    expect(new URL(page.url()).origin).toBe(app.url);
  });

  test('an event that does not exist has no queue', async () => {
    const { page, queue } = await waiter();
    queue.problem = { status: 404, code: 'NOT_FOUND' };
    await page.goto(queuePath);
    await page.getByRole('heading', { name: '없는 공연입니다' }).waitFor();
  });

  test.each(['light', 'dark'] as const)('passes axe in every state in the %s theme', async (theme) => {
    const { page, queue } = await waiter({ theme });
    const problems: string[] = [];
    const look = async (state: string) => {
      problems.push(...(await accessibilityProblems(page)).map((problem) => `${state} ${problem}`));
    };
    queue.answer = waitingAt(1_234, { message: '안내 말씀', paused: true, stale: true });
    await open(page, '1,234번째');
    await look('waiting');
    await page.getByRole('button', { name: '줄에서 나가기' }).click();
    await look('leaving');
    queue.answer = closedUntil(new Date(Date.now() + hourMs).toISOString());
    await open(page, '아직 열리지 않았습니다');
    await look('closed');
    queue.answer = waitingAt(1);
    await open(page, '1번째');
    // A tab that is not looked at does not go on by itself, however long axe takes.
    await lookAway(page);
    queue.answer = inSlot(hourMs);
    await page.getByRole('button', { name: '지금 입장하기' }).waitFor();
    await look('turn');
    await lookBack(page);
    await page.waitForURL(`**${seatsPath}`);
    await page.goto(eventPath);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await look('slot');
    expect(problems).toEqual([]);
  });

  test.each([
    ['ko-KR', '최대 55분'],
    ['en-US', 'up to 55 min'],
  ])('fits a narrow phone, also with a wait of which only the end is known (%s)', async (locale, upTo) => {
    const { page, queue } = await waiter({ width: 320, height: 640, touch: true, locale });
    queue.answer = waitingAt(5, { estimatedWait: 1_500, estimatedWaitHigh: 3_001 });
    await open(page, upTo);
    expect(await sidewaysOverflow(page)).toBe(0);
    queue.answer = waitingAt(1_234_567, { currentUsers: 99_999, threshold: 100_000 });
    await open(page, /1,234,567/);
    expect(await sidewaysOverflow(page)).toBe(0);
    queue.answer = inSlot(hourMs);
    await page.waitForURL(`**${seatsPath}`);
    await page.getByRole('timer').first().waitFor();
    expect(await sidewaysOverflow(page)).toBe(0);
  });

  test('nothing moves while the place arrives', async () => {
    const { page, context } = await waiter({ width: 390, height: 844, touch: true });
    const layoutShift = await watchLayoutShift(page);
    await context.route('**/api/**', async (route) => {
      await new Promise((done) => setTimeout(done, 300));
      await route.fallback();
    });
    await open(page, '1,234번째');
    await page.getByRole('heading', { level: 1, name: /./ }).waitFor();
    expect(await layoutShift()).toBeLessThan(0.02);
  });

  test('the ticket stays where it is while connections come and go', async () => {
    const { page, queue } = await waiter({ width: 390, height: 844, touch: true });
    const layoutShift = await watchLayoutShift(page);
    await open(page, '1,234번째');
    queue.answer = waitingAt(1_234, { stale: true });
    await page.getByText('다시 확인하는 중', { exact: true }).waitFor();
    queue.problem = { status: 503, code: 'STORE_UNAVAILABLE' };
    await page.getByRole('status').filter({ hasText: '연결이 고르지 않습니다.' }).waitFor();
    queue.answer = waitingAt(2, { estimatedWait: 3, estimatedWaitHigh: 9 });
    queue.problem = null;
    await page.getByText('곧 차례입니다. 이 화면을 열어 두세요.').waitFor();
    expect(await layoutShift()).toBeLessThan(0.05);
  });

  test(`needs at most ${scriptBytesMax / 1_000} kB of script, compressed`, async () => {
    const { page } = await waiter();
    const expectSmall = await watchScriptSize(page);
    await open(page, '1,234번째');
    await expectSmall();
  });
});
