import { expect, test } from 'vitest';
import { startTestApp } from '#test/kit/app.ts';
import { aClient, demoPassword } from '#test/kit/client.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { aBrowser, type Visitor } from './kit/browser.ts';
import { focused } from './kit/page-facts.ts';

describeWith('chromium', 'signing in', async () => {
  const app = await startTestApp({ demo: true });
  const { visitor } = await aBrowser(app.url);

  test('works, survives a reload, and ends with signing out', async () => {
    const { page, complaints } = await visitor();
    await page.goto('/');
    await page.getByRole('banner').getByRole('link', { name: '로그인' }).click();
    await signIn(page, 'buyer1@urr.test', demoPassword);
    await page.getByRole('banner').getByRole('link', { name: '관객 1' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
    await page.reload();
    await page.getByRole('banner').getByRole('link', { name: '관객 1' }).click();
    await page.getByText('buyer1@urr.test').waitFor();
    await page.getByRole('button', { name: '로그아웃' }).click();
    await page.getByRole('banner').getByRole('link', { name: '로그인' }).waitFor();
    expect(complaints()).toEqual([]);
  });

  test('is refused for a wrong password, in words, and what was typed stays', async () => {
    const { page } = await visitor();
    await page.goto('/login');
    await signIn(page, 'buyer2@urr.test', 'not-the-password');
    await page.getByRole('alert').getByText('이메일이나 비밀번호가 맞지 않습니다.').waitFor();
    expect(await page.getByLabel('이메일').inputValue()).toBe('buyer2@urr.test');
    await page.getByLabel('비밀번호', { exact: true }).fill(demoPassword);
    await page.getByRole('main').getByRole('button', { name: '로그인' }).click();
    await page.getByRole('banner').getByRole('link', { name: '관객 2' }).waitFor();
  });

  test('asks for what is missing before anything is sent', async () => {
    const { page, complaints } = await visitor();
    await page.goto('/login');
    await signIn(page, 'not an address', '');
    await page.getByText('이메일 주소를 확인해 주세요.').waitFor();
    expect((await focused(page)).name).toBe('email');
    expect(complaints()).toEqual([]);
  });

  test('leads back to the page that asked for it, and never to another site', async () => {
    const { page } = await visitor();
    await page.goto('/me');
    await signIn(page, 'buyer3@urr.test', demoPassword);
    await page.getByRole('heading', { name: '관객 3님, 안녕하세요' }).waitFor();
    const other = await visitor();
    await other.page.goto('/login?next=//evil.test/');
    await signIn(other.page, 'buyer3@urr.test', demoPassword);
    await other.page.getByRole('banner').getByRole('link', { name: '관객 3' }).waitFor();
    await other.page.waitForURL(`${app.url}/`);
  });

  test('says why it is asked for, and is no page to come back to', async () => {
    const { page, context } = await visitor();
    const [event] = (await aClient(app.url).listEvents({ query: { status: 'on_sale' } })).items;
    await page.goto(`/events/${event?.id}`);
    await page.getByRole('link', { name: '예매하기' }).click();
    await page.getByText('줄을 서고 예매하려면 로그인이 필요합니다.').waitFor();
    // Signed in in another tab: this one goes on as well.
    const other = await context.newPage();
    await other.goto('/login');
    await signIn(other, 'buyer9@urr.test', demoPassword);
    await page.waitForURL(/\/(queue|events)\/[^/]+(\/\w+)?$/);
    await page.goBack();
    await page.getByRole('link', { name: /예매하기|고르기|줄 서는/ }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/events/${event?.id}`);
    // While nobody knows yet whether the session lasts there is no form.
    await context.route('**/api/auth/me', () => undefined);
    await page.goto('/login?next=%2Fmy%2Ftickets');
    await page.getByText('내 예매와 티켓을 보려면 로그인이 필요합니다.').waitFor();
    expect(await page.getByLabel('이메일').count()).toBe(0);
  });

  test('is not asked of somebody who is signed in: the way leads on', async () => {
    const { page, context, complaints } = await visitor();
    await page.goto('/login');
    await signIn(page, 'buyer7@urr.test', demoPassword);
    await page.getByRole('banner').getByRole('link', { name: '관객 7' }).waitFor();
    for (const [path, leadsTo] of [
      ['/login', '/me'],
      ['/register', '/me'],
      ['/login?next=%2Fsearch%3Fq%3Da', '/search?q=a'],
      ['/login?next=%2F%2Fevil.test%2F', '/me'],
    ] as const) {
      await page.goto(path);
      await page.waitForURL(`${app.url}${leadsTo}`);
    }
    // A session that is over is no reason to be sent away.
    await context.clearCookies();
    await page.goto('/login?next=%2Fme');
    await signIn(page, 'buyer7@urr.test', demoPassword);
    await page.getByRole('heading', { name: '관객 7님, 안녕하세요' }).waitFor();
    expect(complaints().filter((complaint) => !complaint.includes('401'))).toEqual([]);
  });

  test('is possible right after registering; an address that is taken is refused', async () => {
    const register = async ({ page }: Visitor) => {
      await page.goto('/register');
      await page.getByLabel('이름').fill('새 사람');
      await page.getByLabel('이메일').fill('new-person@urr.test');
      await page.getByLabel('비밀번호', { exact: true }).fill('long-enough-1');
      await page.getByRole('main').getByRole('button', { name: '회원 가입' }).click();
    };
    const first = await visitor();
    await register(first);
    await first.page.getByRole('banner').getByRole('link', { name: '새 사람' }).waitFor();
    const second = await visitor();
    await register(second);
    await second.page.getByText('이미 가입된 이메일입니다').waitFor();
    expect((await focused(second.page)).name).toBe('email');
    expect(await second.page.getByLabel('이메일').getAttribute('aria-invalid')).toBe('true');
  });

  test('lasts beyond the access token, in several tabs at once', async () => {
    const { page, context } = await visitor();
    await page.goto('/login');
    await signIn(page, 'buyer4@urr.test', demoPassword);
    await page.getByRole('banner').getByRole('link', { name: '관객 4' }).waitFor();
    await context.clearCookies({ name: 'urr-access' });
    await context.addInitScript(hideNoteOfRefresh);
    const refreshes: string[] = [];
    context.on('request', (request) => {
      if (request.url().endsWith('/api/auth/refresh')) refreshes.push(request.url());
    });
    const tabs = [page, await context.newPage(), await context.newPage()];
    // Tabs load one after another. The first one's renewal waits until all of them were refused.
    const { promise: allRefused, resolve: haveAllRefused } = Promise.withResolvers<void>();
    const refused = new Set<Visitor['page']>();
    context.on('response', (response) => {
      if (response.status() === 401) refused.add(response.frame().page());
      if (refused.size === tabs.length) haveAllRefused();
    });
    await context.route('**/api/auth/refresh', async (route) => {
      await allRefused;
      await route.continue();
    });
    await Promise.all(tabs.map((tab) => tab.goto('/me')));
    await Promise.all(tabs.map((tab) => tab.getByText('buyer4@urr.test').waitFor()));
    expect(refreshes).toHaveLength(1);
  });

  test('ends in every tab when one signs out', async () => {
    const { page, context } = await visitor();
    await page.goto('/login');
    await signIn(page, 'buyer5@urr.test', demoPassword);
    await page.getByRole('banner').getByRole('link', { name: '관객 5' }).waitFor();
    const other = await context.newPage();
    await other.goto('/me');
    await other.getByRole('button', { name: '로그아웃' }).click();
    await page.getByRole('banner').getByRole('link', { name: '로그인' }).waitFor();
  });

  test('that was revoked elsewhere is noticed, and the visitor is anonymous again', async () => {
    const { page, context } = await visitor();
    await page.goto('/login');
    await signIn(page, 'buyer6@urr.test', demoPassword);
    await page.getByRole('banner').getByRole('link', { name: '관객 6' }).waitFor();
    await context.clearCookies();
    await page.reload();
    await page.getByRole('banner').getByRole('link', { name: '로그인' }).waitFor();
  });
});

/** The worst that storage does: what one tab has written reaches none of the others in time. Runs in the page. */
function hideNoteOfRefresh(): void {
  const { getItem } = Storage.prototype;
  Storage.prototype.getItem = function (key) {
    return key === 'urr.refreshed' ? null : getItem.call(this, key);
  };
}

async function signIn(page: Visitor['page'], email: string, password: string): Promise<void> {
  await page.getByLabel('이메일').fill(email);
  await page.getByLabel('비밀번호', { exact: true }).fill(password);
  await page.getByRole('main').getByRole('button', { name: '로그인' }).click();
}
