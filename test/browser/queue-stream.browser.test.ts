import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startTestApp } from '#test/kit/app.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { aBrowser, within } from './kit/browser.ts';
import { lookAgain, ownClock } from './kit/page-clock.ts';
import { aLine, answerNoStatus, followCalls, type QueueLine, seesTurn, signIn } from './kit/queue-line.ts';

const minuteMs = 60_000;

describeWith('chromium', 'waiting in the real queue, told by its stream', async () => {
  const app = await startTestApp({ env: { URR_QUEUE_THRESHOLD: '1', URR_QUEUE_ADMISSION_INTERVAL_MS: '200' } });
  const { visitor } = await aBrowser(app.url);

  /** Somebody new at the end of the line, and what their browser asks of the queue. */
  async function waiter(line: QueueLine) {
    const someone = await visitor();
    const calls = followCalls(someone.context);
    const { userId } = await signIn(someone.context, app.url);
    return { ...someone, calls, userId, join: () => someone.page.goto(line.path) };
  }
  const sees = (page: Page, position: number) => page.getByText(`${position}번째`, { exact: true }).waitFor();

  test('moves with the line without asking, and claims the turn by asking once it is told', async () => {
    const line = await aLine(app.url, 6);
    const { page, context, calls, userId, join, complaints } = await waiter(line);
    await join();
    await sees(page, 6);
    await expect.poll(() => calls.count('stream'), within).toBeGreaterThan(0);
    const answerAgain = await answerNoStatus(context);
    for (const [index, who] of line.ahead.slice(1).entries()) {
      await line.leave(who);
      await sees(page, 5 - index);
    }
    await answerAgain();
    const before = calls.count('status');
    await line.leave(line.ahead[0]);
    await seesTurn(page);
    expect(calls.count('status')).toBeGreaterThan(before);
    expect(await line.hasClaimed(userId)).toBe(true);
    expect(calls.count('check')).toBe(1);
    // One poll may have been on its way before the stream said its first word; it was not answered.
    expect(complaints().filter((complaint) => !complaint.includes('ERR_FAILED'))).toEqual([]);
  });

  test('is told of a pause, of the operator’s words and of a clearing while nobody moves', async () => {
    const line = await aLine(app.url, 3);
    const { page, context, calls, join } = await waiter(line);
    await join();
    await sees(page, 3);
    await expect.poll(() => calls.count('stream'), within).toBeGreaterThan(0);
    const answerAgain = await answerNoStatus(context);
    await line.operate('message', { message: '음향을 점검하고 있습니다.' });
    await page.getByRole('status').filter({ hasText: '음향을 점검하고 있습니다.' }).waitFor();
    await line.operate('pause');
    await page.getByText('입장이 잠시 멈췄습니다.').waitFor();
    await page.getByText('지금은 알 수 없습니다', { exact: true }).waitFor();
    await line.operate('resume');
    await page.getByText('입장이 잠시 멈췄습니다.').waitFor({ state: 'detached' });
    await answerAgain();
    await line.operate('clear');
    await page.getByText('대기 순서가 끝났습니다').waitFor();
    await expect.poll(calls.openStreams, within).toBe(0);
  });

  test.each([
    ['refused on the way', 'abort'],
    ['kept back by a proxy', 'silence'],
  ])('where the stream is %s the page polls, and still gets the turn', async (_, fault) => {
    const line = await aLine(app.url, 3);
    const { page, context, calls, join } = await waiter(line);
    await context.route('**/api/queue/stream/**', (route) => (fault === 'abort' ? route.abort() : undefined));
    await join();
    await sees(page, 3);
    await line.leave(line.ahead[1]);
    await sees(page, 2);
    await line.leave(line.ahead[2]);
    await sees(page, 1);
    expect(calls.count('status')).toBeGreaterThan(1);
    await line.leave(line.ahead[0]);
    await seesTurn(page);
  });

  test('what happened while the network was away is there when it returns, and the stream is opened anew', async () => {
    const line = await aLine(app.url, 4);
    const { page, context, calls, join } = await waiter(line);
    await join();
    await sees(page, 4);
    await expect.poll(() => calls.count('stream'), within).toBeGreaterThan(0);
    await context.setOffline(true);
    await page.getByText('인터넷에 연결되어 있지 않습니다').waitFor();
    await line.leave(line.ahead[1]);
    const opened = calls.count('stream');
    await context.setOffline(false);
    await sees(page, 3);
    await expect.poll(() => calls.count('stream'), within).toBeGreaterThan(opened);
    await line.leave(line.ahead[2]);
    await sees(page, 2);
  });

  test('many tabs leave connections free: three listen, the others poll, all learn the turn', async () => {
    const line = await aLine(app.url, 2);
    const { page, context, calls, join } = await waiter(line);
    await join();
    await sees(page, 2);
    const others: Page[] = [];
    for (let index = 0; index < 5; index++) {
      const tab = await context.newPage();
      await tab.goto(line.path);
      await sees(tab, 2);
      others.push(tab);
    }
    await expect.poll(calls.openStreams, within).toBe(3);
    await line.leave(line.ahead[1]);
    for (const tab of [page, ...others]) await sees(tab, 1);
    await line.leave(line.ahead[0]);
    await Promise.all([page, ...others].map(seesTurn));
    expect(calls.openStreamsMax()).toBe(3);
  });

  test('of two tabs that are told of the turn at once one rings', async () => {
    const line = await aLine(app.url, 1);
    const { page, context, join } = await waiter(line);
    await context.addInitScript(`
      globalThis.tones = 0;
      const start = OscillatorNode.prototype.start;
      OscillatorNode.prototype.start = function (...when) { globalThis.tones += 1; return start.apply(this, when); };
    `);
    await join();
    const other = await context.newPage();
    await other.goto(line.path);
    for (const tab of [page, other]) {
      await tab.getByText('1번째', { exact: true }).click();
      await tab.getByRole('button', { name: '소리 알림 켜짐', pressed: true }).waitFor();
    }
    await line.leave(line.ahead[0]);
    await Promise.all([page, other].map(seesTurn));
    const tones = async () => {
      const counts = await Promise.all([page, other].map((tab) => tab.evaluate<number>('globalThis.tones')));
      return counts.toSorted();
    };
    await expect.poll(tones, within).toEqual([0, 3]);
    // Both have gone on to the seats by then, without a second chime.
    await Promise.all([page, other].map((tab) => tab.waitForURL(`**/events/${line.eventId}/seats`)));
    expect(await tones()).toEqual([0, 3]);
  });

  test('one tab that leaves tells the other, and nobody listens any more', async () => {
    const line = await aLine(app.url, 2);
    const { page, context, calls, join } = await waiter(line);
    await ownClock(page);
    await join();
    await sees(page, 2);
    const other = await context.newPage();
    await other.goto(line.path);
    await sees(other, 2);
    await page.getByRole('button', { name: '줄에서 나가기' }).click();
    await page.getByRole('dialog').getByRole('button', { name: '줄에서 나가기' }).click();
    for (const tab of [page, other]) await tab.getByRole('heading', { name: '줄에서 나왔습니다' }).waitFor();
    await expect.poll(calls.openStreams, within).toBe(0);
    const asked = () => calls.count('status') + calls.count('stream');
    const before = asked();
    // Longer than any tab waits between two questions.
    await page.clock.fastForward(10 * minuteMs);
    await page.evaluate("fetch('/api/time').then(() => undefined)");
    expect(asked()).toBe(before);
    await line.leave(line.ahead[1]);
    await line.leave(line.ahead[0]);
    await page.getByRole('button', { name: '다시 줄 서기' }).click();
    await seesTurn(page);
  });

  test('a place given up on another device ends here too', async () => {
    const line = await aLine(app.url, 3);
    const { page, context, join } = await waiter(line);
    await join();
    await sees(page, 3);
    const [access] = (await context.cookies()).filter(({ name }) => name === 'urr-access');
    await fetch(`${app.url}/api/queue/leave/${line.eventId}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${access?.value}` },
    });
    await lookAgain(page);
    await page.getByRole('heading', { name: '대기 순서가 끝났습니다' }).waitFor();
  });
});
