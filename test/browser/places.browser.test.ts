import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startTestApp } from '#test/kit/app.ts';
import { aClient, demoPassword } from '#test/kit/client.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { accessibilityProblems } from './kit/axe.ts';
import { aBrowser, type VisitorOptions, within } from './kit/browser.ts';
import { coveredBy, sidewaysOverflow, watchLayoutShift } from './kit/page-facts.ts';
import { aLine, followCalls, signIn } from './kit/queue-line.ts';
import { closedUntil, inSlot, noPlace, scriptQueue, waitingAt } from './kit/queue-script.ts';

const minuteMs = 60_000;
const signOfLifeMs = 25_000;

describeWith('chromium', 'a place in line, on every page', async () => {
  const app = await startTestApp({
    demo: true,
    env: { URR_QUEUE_THRESHOLD: '1', URR_QUEUE_ADMISSION_INTERVAL_MS: '200' },
  });
  const { visitor } = await aBrowser(app.url);
  const [event] = (await aClient(app.url).listEvents({ query: { status: 'on_sale' } })).items;
  const queuePath = `/queue/${event?.id}`;
  const eventPath = `/events/${event?.id}`;
  const bar = (page: Page) => page.getByRole('region', { name: /내 대기 순서|Your places in line/ });
  const goHome = (page: Page) => page.getByRole('banner').getByRole('link').first().click();

  /** Somebody in the real queue. */
  async function aWaiter(...paths: string[]) {
    const someone = await visitor();
    const calls = followCalls(someone.context);
    const { userId } = await signIn(someone.context, app.url);
    for (const path of paths) {
      await someone.page.goto(path);
      // The number: everything around it is drawn before there is a place.
      await someone.page
        .getByText(/^[\d,]+번째$/)
        .first()
        .waitFor();
    }
    return { ...someone, calls, userId };
  }

  /** Somebody with a scripted queue, who was on its page and has gone home. */
  async function aWanderer(answer: Record<string, unknown>, options: VisitorOptions = {}) {
    const someone = await visitor(options);
    const queue = await scriptQueue(someone.context);
    queue.answer = answer;
    await someone.page.goto(queuePath);
    await someone.page.getByRole('heading', { level: 1, name: /./ }).waitFor();
    await someone.page.locator('[aria-busy=true]').waitFor({ state: 'detached' });
    await goHome(someone.page);
    await bar(someone.page).waitFor();
    return { ...someone, queue };
  }

  test('who taps the title while waiting keeps the place, sees it move, gets the turn and finds the way to it', async () => {
    const line = await aLine(app.url, 2);
    const { page, calls, userId, complaints } = await aWaiter(line.path);
    await page.getByRole('heading', { level: 1 }).getByRole('link').click();
    await page.waitForURL(`**/events/${line.eventId}`);
    // The event's own page says it on its button, so the bar does not say it once more.
    await page.getByRole('main').getByRole('link', { name: '줄 서는 중 · 2번째' }).waitFor();
    expect(await bar(page).count()).toBe(0);
    await line.leave(line.ahead[1]);
    await page.getByRole('main').getByRole('link', { name: '줄 서는 중 · 1번째' }).waitFor();
    expect(calls.count('check')).toBe(1);

    await page.getByRole('banner').getByRole('link', { name: '아티스트' }).click();
    await page.getByRole('heading', { level: 1, name: '아티스트' }).waitFor();
    await line.leave(line.ahead[0]);
    await bar(page)
      .getByText(/내 차례 · \d\d:\d\d 남음/)
      .waitFor();
    await page.getByRole('alert').filter({ hasText: '입장하실 차례입니다' }).waitFor({ state: 'attached' });
    await expect.poll(() => page.title(), within).toMatch(/^● 내 차례 · 아티스트/);
    expect(await line.hasClaimed(userId)).toBe(true);
    await bar(page).getByRole('link').click();
    await page.waitForURL(`**/events/${line.eventId}/seats`);
    // The event's own line has the time now, and the button follows.
    const timer = page.getByRole('region', { name: '지금 예매하실 차례입니다' });
    await timer.getByRole('timer').waitFor();
    expect(await bar(page).count()).toBe(0);
    await page.goto(`/events/${line.eventId}`);
    await page.getByRole('link', { name: /좌석 고르기 · \d\d:\d\d 남음/ }).waitFor();
    expect(complaints()).toEqual([]);
  });

  test('signs of life go on, on whichever page', async () => {
    const { page, context } = await visitor();
    const queue = await scriptQueue(context);
    queue.answer = waitingAt(1_234, { nextPoll: 60 });
    await page.clock.install();
    await page.goto(queuePath);
    await page.getByText('1,234번째', { exact: true }).waitFor();
    const beats = () => queue.calls.filter((call) => call === 'heartbeat').length;
    for (const path of ['/', '/search', '/artists']) {
      await page.getByRole('banner').locator(`a[href="${path}"]`).first().click();
      await bar(page).getByText('줄 서는 중 · 1,234번째').waitFor();
      const before = beats();
      await page.clock.runFor(signOfLifeMs);
      await expect.poll(beats, within).toBeGreaterThan(before);
    }
    expect(queue.calls.filter((call) => call === 'check')).toHaveLength(1);
  });

  test('of several queues the most urgent is shown, with a way to the others', async () => {
    const [far, near] = [await aLine(app.url, 3), await aLine(app.url, 1)];
    const { page } = await aWaiter(far.path, near.path);
    // On the page of one queue the other one is in the bar.
    await bar(page).getByText('줄 서는 중 · 3번째').waitFor();
    await goHome(page);
    await bar(page).getByText('줄 서는 중 · 1번째').waitFor();
    expect(await bar(page).getByRole('link').count()).toBe(1);
    await bar(page).getByRole('button', { name: '다른 줄 1개 보기' }).click();
    await bar(page).getByText('줄 서는 중 · 3번째').waitFor();
    await far.leave(far.ahead[1]);
    await far.leave(far.ahead[2]);
    await far.leave(far.ahead[0]);
    await bar(page)
      .getByText(/내 차례 · \d\d:\d\d 남음/)
      .waitFor();
    await bar(page).getByRole('button', { name: '접기' }).click();
    await bar(page)
      .getByRole('link', { name: /내 차례/ })
      .waitFor();
    expect(await bar(page).getByText('줄 서는 중').count()).toBe(0);
  });

  test('comes back after a reload and in another tab without entering again, and is given up in all of them', async () => {
    const line = await aLine(app.url, 2);
    const { page, context, calls } = await aWaiter(line.path);
    await page.goto('/artists');
    await bar(page).getByText('줄 서는 중 · 2번째').waitFor();
    await page.reload();
    await bar(page).getByText('줄 서는 중 · 2번째').waitFor();
    const other = await context.newPage();
    await other.goto('/');
    await bar(other).getByText('줄 서는 중 · 2번째').click();
    await other.waitForURL(`**${line.path}`);
    await other.getByRole('button', { name: '줄에서 나가기' }).click();
    expect(calls.count('check')).toBe(1);
    await other.getByRole('dialog').getByRole('button', { name: '줄에서 나가기' }).click();
    await other.getByRole('heading', { name: '줄에서 나왔습니다' }).waitFor();
    await bar(page).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await bar(page).count()).toBe(0);
  });

  test('a hidden tab leaves the asking to the one that is looked at, and takes over when that is closed', async () => {
    const { page, context, queue } = await aWanderer(waitingAt(5, { nextPoll: 1 }));
    const asked = new Map<Page, number>();
    context.on('request', (request) => {
      if (!request.url().includes('/api/queue/status/')) return;
      const from = request.frame().page();
      asked.set(from, (asked.get(from) ?? 0) + 1);
    });
    const of = (tab: Page) => asked.get(tab) ?? 0;
    const other = await context.newPage();
    await other.goto('/');
    await bar(other).getByText('줄 서는 중 · 5번째').waitFor();
    await page.evaluate(`
      Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' });
      document.dispatchEvent(new Event('visibilitychange'));
    `);
    const whileOtherAsks = async () => {
      const [mine, others] = [of(page), of(other)];
      await expect.poll(() => of(other), within).toBeGreaterThan(others + 2);
      return of(page) - mine;
    };
    await expect.poll(whileOtherAsks, within).toBe(0);
    queue.answer = waitingAt(4, { nextPoll: 1 });
    await other.close();
    await bar(page).getByText('줄 서는 중 · 4번째').waitFor();
  });

  test('ends with signing out, in every tab, and is not the next one’s', async () => {
    const { page, context, queue } = await aWanderer(waitingAt(7));
    const places = () =>
      page.evaluate<string[]>("Object.keys(localStorage).filter((key) => key.startsWith('urr.place.'))");
    const enter = async (email: string) => {
      await page.goto('/login');
      await page.getByLabel('이메일').fill(email);
      await page.getByLabel('비밀번호', { exact: true }).fill(demoPassword);
      await page.getByRole('main').getByRole('button', { name: '로그인' }).click();
    };
    // Nobody was signed in as far as the page knew: anyone who signs in now has no part in it.
    await enter('buyer1@urr.test');
    await bar(page).waitFor({ state: 'detached' });
    await page.goto(queuePath);
    await page.getByText('7번째', { exact: true }).waitFor();
    const other = await context.newPage();
    await other.goto('/me');
    await bar(other).getByText('줄 서는 중 · 7번째').waitFor();
    await goHome(page);
    await bar(page).waitFor();
    await other.getByRole('button', { name: '로그아웃' }).click();
    for (const tab of [page, other]) await bar(tab).waitFor({ state: 'detached' });
    expect(await places()).toEqual([]);
    await enter('buyer2@urr.test');
    await page.getByRole('banner').getByRole('link', { name: '관객 2' }).waitFor();
    expect([await bar(page).count(), await places()]).toEqual([0, []]);

    // The page of the queue follows as well, also where the session changed unheard: it never says that the place has ended.
    await page.goto(queuePath);
    await page.getByText('7번째', { exact: true }).waitFor();
    // The page has heard whose place it is.
    const kept = () => page.evaluate(`JSON.parse(localStorage.getItem('urr.place.${event?.id}')).user`);
    await expect.poll(kept, within).toEqual(expect.any(String));
    await context.route('**/api/queue/check/**', (route) => route.fulfill({ json: waitingAt(90) }));
    await page.evaluate(`new MutationObserver(() => {
      if (document.body.textContent.includes('대기 순서가 끝났습니다')) globalThis.saidEnded = true;
    }).observe(document.body, { subtree: true, childList: true, characterData: true })`);
    const credentials = JSON.stringify({ email: 'buyer3@urr.test', password: demoPassword });
    const headers = { 'content-type': 'application/json' };
    const signsIn = `fetch('/api/auth/login', ${JSON.stringify({ method: 'POST', headers, body: credentials })})`;
    expect(await other.evaluate(`${signsIn}.then(({ status }) => status)`)).toBe(200);
    queue.answer = noPlace;
    await page.getByText('90번째', { exact: true }).waitFor();
    await page.getByRole('banner').getByRole('link', { name: '관객 3' }).waitFor();
    expect(await page.evaluate('globalThis.saidEnded')).toBe(undefined);
  });

  test.each([
    ['a place that ended', noPlace, '대기 순서가 끝났습니다'],
    ['a sale that closed', closedUntil(null), '지금은 줄을 설 수 없습니다'],
  ])('%s is told once, until it is dismissed', async (_, answer, words) => {
    const { page, queue } = await aWanderer(waitingAt(7));
    queue.answer = answer;
    await bar(page).getByText(words, { exact: true }).waitFor();
    await page.getByRole('alert').filter({ hasText: words }).waitFor({ state: 'attached' });
    await bar(page).getByRole('button', { name: '알림 닫기' }).click();
    await bar(page).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await bar(page).count()).toBe(0);
  });

  test('nothing moves when the turn comes or a place ends, and the menu makes room for the queue', async () => {
    const { page, queue } = await aWanderer(waitingAt(2), { width: 390, height: 844, touch: true });
    const menu = page.getByRole('navigation', { name: '주요 메뉴' });
    await menu.waitFor();
    await page.goto(queuePath);
    await page.getByText('2번째', { exact: true }).waitFor();
    expect(await menu.count()).toBe(0);
    const layoutShift = await watchLayoutShift(page);
    await page.goto(eventPath);
    await page.getByRole('main').getByRole('link', { name: '줄 서는 중 · 2번째' }).waitFor();
    queue.answer = inSlot(10 * minuteMs);
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await page.getByRole('region', { name: '지금 예매하실 차례입니다' }).waitFor();
    queue.answer = noPlace;
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await bar(page).getByText('예매 시간이 끝났습니다.').waitFor();
    expect(await layoutShift()).toBeLessThan(0.02);
  });

  test.each([
    { width: 1280, height: 800 },
    { width: 390, height: 844, touch: true },
  ])('lies over nothing at the end of a page, $width wide', async (screen) => {
    const { page } = await aWanderer(waitingAt(7), screen);
    const [, other] = (await aClient(app.url).listEvents({ query: { status: 'on_sale' } })).items;
    for (const path of ['/', `/events/${other?.id}`, `/queue/${other?.id}`]) {
      await page.goto(path);
      await bar(page).getByText('줄 서는 중 · 7번째').waitFor();
      await page.locator('[aria-busy=true]').waitFor({ state: 'detached' });
      // Beside the queue there is room for it on a wide screen, however far one has scrolled.
      if (path.startsWith('/queue/') && screen.width > 1_000)
        expect(await coveredBy(page, '[data-place-bar]')).toEqual([]);
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
      expect([path, await coveredBy(page, '[data-place-bar]')]).toEqual([path, []]);
    }
  });

  test('stays on the page of an event that is sold out: nothing else there says that one is in line', async () => {
    const { page, context } = await aWanderer(waitingAt(7));
    await context.route(`**/api/events/${event?.id}`, async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), status: 'sold_out' } });
    });
    await page.goto(eventPath);
    await page.getByRole('main').getByText('매진').first().waitFor();
    await bar(page).getByText('줄 서는 중 · 7번째').waitFor();
  });

  test.each(['light', 'dark'] as const)('passes axe in every state in the %s theme', async (theme) => {
    const { page, queue } = await aWanderer(waitingAt(1_234), { theme });
    const problems: string[] = [];
    for (const [state, answer, words] of [
      ['waiting', waitingAt(1_200), /1,200번째/],
      ['turn', inSlot(10 * minuteMs), /내 차례/],
      ['over', noPlace, /예매 시간이 끝났습니다/],
    ] as const) {
      queue.answer = answer;
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
      await bar(page).getByText(words).waitFor();
      problems.push(...(await accessibilityProblems(page)).map((problem) => `${state} ${problem}`));
    }
    expect(problems).toEqual([]);
  });

  test.each([
    ['ko-KR', /1,234,567번째/, /내 차례/],
    ['en-US', /In line, No\. 1,234,567/, /Your turn, \d\d:\d\d left/],
  ])('fits a narrow phone (%s)', async (locale, inLine, turn) => {
    const narrow = { width: 320, height: 640, touch: true, locale };
    const { page, queue } = await aWanderer(waitingAt(1_234_567), narrow);
    await bar(page).getByText(inLine).waitFor();
    expect(await sidewaysOverflow(page)).toBe(0);
    queue.answer = inSlot(10 * minuteMs);
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await bar(page).getByText(turn).click();
    await page.getByRole('timer').first().waitFor();
    expect(await sidewaysOverflow(page)).toBe(0);
  });
});
