import { expect, test } from 'vitest';
import { startTestApp } from '#test/kit/app.ts';
import { demoPassword } from '#test/kit/client.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { accessibilityProblems } from './kit/axe.ts';
import { aBrowser, within } from './kit/browser.ts';
import { focused, sidewaysOverflow } from './kit/page-facts.ts';

const seated = '종이비행선 단독 콘서트 〈먼 데서 온 바람〉';
const standing = '은하철물점 스탠딩 나이트';
const opening = '모래시계단 월드투어 인 서울';

describeWith('chromium', 'a visitor who looks around', async () => {
  const app = await startTestApp({ demo: true });
  const { visitor } = await aBrowser(app.url);

  test('sees at home what is on sale and what opens next, with a countdown', async () => {
    const { page, complaints } = await visitor();
    await page.goto('/');
    await page.getByRole('heading', { name: '지금 예매 중' }).waitFor();
    await page.getByRole('link', { name: seated }).waitFor();
    await page.getByRole('link', { name: standing }).waitFor();
    await page.getByRole('heading', { level: 2, name: opening }).waitFor();
    const digits = page.getByRole('timer').first();
    const before = await digits.textContent();
    expect(before).toMatch(/^\d+일\d\d시간\d\d분\d\d초$/);
    await expect.poll(() => digits.textContent(), within).not.toBe(before);
    expect(complaints()).toEqual([]);
  });

  test('opens an event and finds prices, dates, venue and the state of the sale', async () => {
    const { page, complaints } = await visitor();
    await page.goto('/');
    await page.getByRole('link', { name: seated }).click();
    await page.getByRole('heading', { level: 1, name: seated }).waitFor();
    expect(await page.title()).toContain(seated);
    await page.getByText('165,000원').waitFor();
    await page.getByText('일반 예매').waitFor();
    const book = page.getByRole('link', { name: '예매하기' });
    expect(await book.getAttribute('href')).toMatch(/^\/queue\//);
    await page.getByText('줄을 서서 순서대로 입장합니다.').waitFor();
    expect(complaints()).toEqual([]);
  });

  test('sees standing areas with their prices', async () => {
    const { page } = await visitor();
    await page.goto('/search?q=은하철물점');
    await page.getByRole('link', { name: standing }).click();
    await page.getByText('77,000원').waitFor();
    await page
      .getByText(/스탠딩 · [\d,]+명/)
      .first()
      .waitFor();
  });

  test('is told when an event is sold out or over', async () => {
    const { page } = await visitor();
    await page.goto('/search?status=sold_out');
    await page.getByRole('link', { name: /〈엽서〉/ }).click();
    await page.getByText('매진되었습니다').waitFor();
    await page.goto('/search?status=ended');
    await page.getByRole('link', { name: /어쿠스틱 라이브/ }).click();
    await page.getByText('예매가 종료되었습니다').waitFor();
    await page.route('**/api/events/*', async (route) => {
      const answer = await route.fetch();
      const changed = { status: 'cancelled', cancelReason: null, imageUrl: `${app.url}/no-such-picture.jpg` };
      await route.fulfill({ response: answer, json: { ...(await answer.json()), ...changed } });
    });
    await page.reload();
    const panel = page.getByRole('region', { name: '예매하기' });
    await panel.getByText('취소된 공연입니다').waitFor();
    // Nothing there reads like something to do.
    expect(await panel.getByRole('button').count()).toBe(0);
    // A picture that does not come is drawn.
    await page
      .getByRole('img', { name: /포스터$/ })
      .locator('svg')
      .waitFor();
  });

  test('searches, filters, and shares the address of the result', async () => {
    const { page, complaints } = await visitor();
    await page.goto('/search');
    await page.getByRole('searchbox').fill('우체통');
    await page.getByRole('searchbox').press('Enter');
    await page.getByText('2개의 공연').waitFor();
    expect((await focused(page)).name).toBe('q');
    await page.getByRole('link', { name: '매진', exact: true }).click();
    await page.getByText('1개의 공연').waitFor();
    const address = page.url();
    await page.goto('/');
    await page.goto(address);
    await page.getByText('1개의 공연').waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('우체통');
    expect(complaints()).toEqual([]);
  });

  test('is helped on when a search finds nothing', async () => {
    const { page } = await visitor();
    await page.goto('/search?q=없는 이름');
    await page.getByText('찾는 공연이 없습니다').waitFor();
    await page.getByRole('link', { name: '조건 지우기' }).click();
    await page.getByText(/개의 공연/).waitFor();
  });

  test('finds an artist and their events', async () => {
    const { page, complaints } = await visitor();
    await page.goto('/artists');
    await page.getByRole('link', { name: '느린우체통' }).click();
    await page.getByRole('heading', { level: 1, name: '느린우체통' }).waitFor();
    await page.getByRole('link', { name: /〈겨울 답장〉/ }).waitFor();
    expect(complaints()).toEqual([]);
  });

  test('is told kindly that a page or an event does not exist', async () => {
    const { page } = await visitor();
    await page.goto('/no/such/page');
    await page.getByRole('heading', { name: '찾을 수 없는 화면입니다' }).waitFor();
    await page.goto('/events/01990000-0004-7000-8000-999999999999');
    await page.getByRole('heading', { name: '없는 공연입니다' }).waitFor();
    await page.goto('/events/nonsense');
    await page.getByRole('heading', { name: '없는 공연입니다' }).waitFor();
  });

  test.each(['/docs/errors', '/docs/plain'])('reads %s on a narrow phone', async (path) => {
    const { page, complaints } = await visitor({ width: 320, height: 640, touch: true });
    await page.goto(path);
    await page.evaluate("for (const operation of document.querySelectorAll('details')) operation.open = true");
    expect(await sidewaysOverflow(page)).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(complaints()).toEqual([]);
  });

  test('tries the API out at /docs, with the cookies of this browser and no other server', async () => {
    const { page, context, complaints } = await visitor();
    const elsewhere: string[] = [];
    context.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol !== 'data:' && origin !== app.url) elsewhere.push(request.url());
    });
    await page.goto('/docs');
    const call = async (operation: string, body?: object) => {
      const block = page.locator(`[id="operations-${operation}"]`);
      if ((await block.getByRole('button', { name: 'Execute' }).count()) === 0)
        await block.locator('.opblock-summary-control').click();
      if (body !== undefined) await block.locator('textarea').fill(JSON.stringify(body));
      await block.getByRole('button', { name: 'Execute' }).click();
      const answer = block.locator('.live-responses-table');
      await answer.waitFor();
      const status = await answer.locator('tbody .response-col_status').first().textContent();
      return { status: status?.trim(), text: await answer.locator('tbody').textContent() };
    };

    expect(await call('catalog-listEvents')).toEqual({ status: '200', text: expect.stringContaining(standing) });
    expect((await call('auth-login', { email: 'buyer5@urr.test', password: demoPassword })).status).toBe('200');
    // Only the cookie can renew the session, and the same-site check takes the call: the page is of this site.
    expect((await call('auth-refreshSession', {})).status).toBe('200');
    expect(elsewhere).toEqual([]);

    await page.getByRole('link', { name: 'The same as a plain page' }).click();
    await page.getByRole('heading', { name: 'catalog' }).waitFor();
    expect(complaints()).toEqual([]);
  });
});
