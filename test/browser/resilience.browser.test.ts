import { expect, test } from 'vitest';
import { startTestApp } from '#test/kit/app.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { aBrowser, within } from './kit/browser.ts';
import { ownClock } from './kit/page-clock.ts';
import { fetchedCount, watchLayoutShift } from './kit/page-facts.ts';
import { scriptBytesMax, watchScriptSize } from './kit/script-size.ts';
import { publishShow } from './kit/shows.ts';

const hourMs = 3_600_000;

describeWith('chromium', 'pages under real conditions', async () => {
  const app = await startTestApp({ demo: true });
  const { visitor } = await aBrowser(app.url);

  test('an event page that was opened early leads to the line, turns by itself at the opening, and its button is on a phone’s first screen', async () => {
    const eventId = await publishShow(app.url, '곧 열리는 공연', hourMs);
    const { page, complaints } = await visitor({ width: 390, height: 700, touch: true });
    await ownClock(page);
    await page.goto(`/events/${eventId}`);
    const wait = page.getByRole('link', { name: '로그인하고 오픈 기다리기' });
    expect(await wait.getAttribute('href')).toBe(`/queue/${eventId}`);
    await expect.poll(() => page.getByRole('timer').textContent(), within).toMatch(/^0일00시간5\d분/);
    const isInSight = async (link: typeof wait) => {
      const box = await link.boundingBox();
      const menu = await page.getByRole('navigation', { name: '주요 메뉴' }).boundingBox();
      return box !== null && menu !== null && box.y + box.height <= menu.y;
    };
    expect(await isInSight(wait)).toBe(true);
    await page.clock.fastForward(hourMs);
    const book = page.getByRole('link', { name: '예매하기' });
    await book.waitFor();
    expect(await isInSight(book)).toBe(true);
    const opened = page.getByText('예매가 시작되었습니다.');
    await opened.waitFor({ state: 'attached' });
    expect(await page.getByRole('timer').count()).toBe(0);
    // What was said in one language is not said in the other.
    await page.getByRole('button', { name: 'Switch to English' }).click();
    await page.getByRole('link', { name: 'Get tickets' }).waitFor();
    expect(await opened.count()).toBe(0);
    expect(complaints()).toEqual([]);
  });

  test('the countdown follows the server’s clock and not the device’s', async () => {
    const eventId = await publishShow(app.url, '두 시간 뒤에 열리는 공연', 2 * hourMs);
    const { page } = await visitor();
    await page.route('**/api/time', (route) =>
      route.fulfill({ json: { now: new Date(Date.now() + hourMs).toISOString() } }),
    );
    await page.goto(`/events/${eventId}`);
    await expect.poll(() => page.getByRole('timer').textContent(), within).toMatch(/^0일00시간5\d분/);
  });

  test('a visitor who loses the network keeps what is there, is told, and goes on when it returns', async () => {
    const { page, context } = await visitor();
    await page.goto('/');
    await page.getByRole('heading', { name: '지금 예매 중' }).waitFor();
    // Pages are fetched ahead when the first one is done; only then can they be opened without a network.
    await page.waitForLoadState('networkidle');
    await expect.poll(() => fetchedCount(page, '/assets/page-'), within).toBeGreaterThan(5);
    await context.setOffline(true);
    await page.getByText('인터넷에 연결되어 있지 않습니다. 마지막으로').waitFor();
    await page.getByRole('heading', { name: '지금 예매 중' }).waitFor();
    await page.getByRole('banner').getByRole('link', { name: '아티스트' }).click();
    await page.getByText('연결되면 자동으로 다시 불러옵니다.').waitFor();
    await context.setOffline(false);
    await page.getByRole('link', { name: '느린우체통' }).waitFor();
  });

  test('a server in trouble is explained, with a way to try again that works', async () => {
    const { page } = await visitor();
    const problem = { code: 'DATABASE_UNAVAILABLE', status: 503, title: 'The database is away' };
    await page.route('**/api/events?*', (route) =>
      route.fulfill({ status: 503, contentType: 'application/problem+json', json: problem }),
    );
    await page.goto('/');
    const alert = page.getByRole('alert');
    await alert.getByText('일시적으로 이용할 수 없습니다.').waitFor();
    await alert.getByText('DATABASE_UNAVAILABLE').waitFor();
    await page.unroute('**/api/events?*');
    await alert.getByRole('button', { name: '다시 시도' }).click();
    await page.getByRole('heading', { name: '지금 예매 중' }).waitFor();
  });

  test.each(['/', '/search', '/events/01990000-0004-7000-8000-000000000003'])(
    'nothing moves while %s loads',
    async (path) => {
      const { page } = await visitor({ width: 390, height: 844, touch: true });
      const layoutShift = await watchLayoutShift(page);
      await page.route('**/api/**', async (route) => {
        await new Promise((done) => setTimeout(done, 300));
        await route.continue();
      });
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      expect(await layoutShift()).toBeLessThan(0.02);
    },
  );

  test.each([
    ['ko-KR', '우르르'],
    ['en-US', 'urr'],
  ])('the header is there before the application is, and stays where it is (%s)', async (locale, brand) => {
    const { page, complaints } = await visitor({ width: 390, height: 844, touch: true, locale });
    const { promise: mayStart, resolve: start } = Promise.withResolvers<void>();
    await page.route('**/assets/index-*.js', async (route) => {
      await mayStart;
      await route.continue();
    });
    await page.goto('/', { waitUntil: 'commit' });
    const name = page.getByRole('banner').getByText(brand, { exact: true });
    await name.waitFor();
    const before = await name.boundingBox();
    expect(await page.getByRole('main').count()).toBe(0);
    start();
    await page.getByRole('main').waitFor();
    expect(await name.boundingBox()).toEqual(before);
    expect(complaints()).toEqual([]);
  });

  test('tells other sites, phones and crawlers what it is', async () => {
    const { page } = await visitor();
    await page.goto('/');
    const files = await page.evaluate<string[]>(`[
      ...document.querySelectorAll('link[rel=manifest], link[rel=icon], link[rel=apple-touch-icon]'),
    ].map((link) => link.href).concat(document.querySelector('meta[property="og:image"]').content)`);
    const manifest = (await (await page.request.get('/manifest.webmanifest')).json()) as { icons: { src: string }[] };
    for (const file of [...files, ...manifest.icons.map(({ src }) => src)]) {
      expect([file, (await page.request.get(file)).status()]).toEqual([file, 200]);
    }
    expect(files).toHaveLength(4);
    expect(await page.locator('meta[property="og:title"]').getAttribute('content')).toContain('우르르');
    expect(await (await page.request.get('/robots.txt')).text()).toContain('Disallow: /my/');
  });

  test(`the first page needs at most ${scriptBytesMax / 1000} kB of script, compressed`, async () => {
    const { page } = await visitor();
    const expectSmall = await watchScriptSize(page);
    await page.goto('/');
    await page.getByRole('heading', { name: '지금 예매 중' }).waitFor();
    await expectSmall();
  });
});
