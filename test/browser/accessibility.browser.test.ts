import { expect, test } from 'vitest';
import { startTestApp } from '#test/kit/app.ts';
import { aClient, demoPassword } from '#test/kit/client.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { accessibilityProblems } from './kit/axe.ts';
import { aBrowser, type Visitor, within } from './kit/browser.ts';
import { focused, sidewaysOverflow } from './kit/page-facts.ts';

describeWith('chromium', 'every page, for everybody', async () => {
  const app = await startTestApp({ demo: true });
  const { visitor } = await aBrowser(app.url);
  const client = aClient(app.url);
  const eventOf = async (status: 'announced' | 'on_sale' | 'sold_out') =>
    `/events/${(await client.listEvents({ query: { status } })).items.at(-1)?.id}`;
  const pages = [
    '/',
    '/search',
    '/search?q=zzz',
    '/artists',
    `/artists/${(await client.listArtists()).items[0]?.id}`,
    await eventOf('announced'),
    await eventOf('on_sale'),
    await eventOf('sold_out'),
    '/login',
    '/register',
    '/no/such/page',
  ];

  test.each(['light', 'dark'] as const)('passes axe in the %s theme', async (theme) => {
    const { page } = await visitor({ theme });
    const problems: string[] = [];
    for (const path of [...pages, '/me']) {
      if (path === '/me') await signIn(page);
      await open(page, path);
      problems.push(...(await accessibilityProblems(page)).map((problem) => `${path} ${problem}`));
    }
    expect(problems).toEqual([]);
  });

  test.each(['ko-KR', 'en-US'])('fits a narrow phone without scrolling sideways (%s)', async (locale) => {
    const { page } = await visitor({ width: 320, height: 640, touch: true, locale });
    const tooWide: string[] = [];
    for (const path of pages) {
      await open(page, path);
      const overflow = await sidewaysOverflow(page);
      if (overflow > 0) tooWide.push(`${path} by ${overflow}`);
    }
    expect(tooWide).toEqual([]);
  });

  test('keeps its header in one line with letters twice as large', async () => {
    const { page, context } = await visitor({ width: 320, height: 640, touch: true });
    await signIn(page);
    const session = await context.newCDPSession(page);
    await session.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } });
    for (const path of ['/', await eventOf('on_sale')]) {
      await open(page, path);
      expect(await page.evaluate('getComputedStyle(document.documentElement).fontSize')).toBe('32px');
      const brand = await page.getByText('우르르', { exact: true }).first().boundingBox();
      expect(brand?.height).toBeLessThan(60);
      expect([path, await sidewaysOverflow(page)]).toEqual([path, 0]);
    }
  });

  test('can be used with the keyboard alone', async () => {
    const { page, complaints } = await visitor();
    await open(page, '/');
    await page.keyboard.press('Tab');
    expect((await focused(page)).text).toBe('본문으로 건너뛰기');
    expect(await page.getByRole('link', { name: '본문으로 건너뛰기' }).boundingBox()).toMatchObject({ y: 8 });
    await page.keyboard.press('Enter');
    expect((await focused(page)).id).toBe('main');

    await tabTo(page, '자세히 보기');
    expect((await focused(page)).outline).toBe('solid');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1 }).waitFor();
    // After a link the reader begins at the new page, not at the bottom of the old one.
    await expect.poll(async () => (await focused(page)).id, within).toBe('main');

    await page.goto('/login');
    await page.getByLabel('이메일').focus();
    await page.keyboard.type('buyer7@urr.test');
    await page.keyboard.press('Tab');
    await page.keyboard.type(demoPassword);
    await page.keyboard.press('Enter');
    await page.getByRole('banner').getByRole('link', { name: '관객 7' }).waitFor();
    expect(complaints()).toEqual([]);
  });
});

async function open(page: Visitor['page'], path: string): Promise<void> {
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('[aria-busy=true]').waitFor({ state: 'detached' });
}

async function signIn(page: Visitor['page']): Promise<void> {
  await page.goto('/login');
  await page.getByLabel('이메일').fill('buyer8@urr.test');
  await page.getByLabel('비밀번호', { exact: true }).fill(demoPassword);
  await page.getByRole('main').getByRole('button', { name: '로그인' }).click();
  await page.getByRole('banner').getByRole('link', { name: '관객 8' }).waitFor();
}

/** More stops than any page has before its content. */
const stopsMax = 30;

async function tabTo(page: Visitor['page'], text: string): Promise<void> {
  for (let stop = 0; stop < stopsMax; stop += 1) {
    await page.keyboard.press('Tab');
    if ((await focused(page)).text === text) return;
  }
  throw new Error(`the keyboard does not reach "${text}"`);
}
