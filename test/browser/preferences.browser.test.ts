import { expect, test } from 'vitest';
import { startTestApp } from '#test/kit/app.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { aBrowser, within } from './kit/browser.ts';

describeWith('chromium', 'language, theme and time zone', async () => {
  const app = await startTestApp({ demo: true });
  const { visitor } = await aBrowser(app.url);

  test('follow the browser at first', async () => {
    const english = await visitor({ locale: 'en-US', theme: 'dark' });
    await english.page.goto('/');
    await english.page.getByRole('heading', { name: 'On sale now' }).waitFor();
    const root = english.page.locator('html');
    expect([await root.getAttribute('lang'), await root.getAttribute('data-theme')]).toEqual(['en', 'dark']);
    const barColor = () => english.page.locator('meta[name=theme-color]').getAttribute('content');
    expect(await barColor()).toBe('#131210');
    await english.page.getByRole('button', { name: 'Theme: device' }).click();
    expect(await barColor()).toBe('#f5f1e8');
    const japanese = await visitor({ locale: 'ja-JP' });
    await japanese.page.goto('/');
    await japanese.page.getByRole('heading', { name: '지금 예매 중' }).waitFor();
  });

  test('are kept when the visitor chooses', async () => {
    const { page, complaints } = await visitor();
    const root = page.locator('html');
    await page.goto('/');
    await page.getByRole('button', { name: 'Switch to English' }).click();
    await page.getByRole('heading', { name: 'On sale now' }).waitFor();
    await page.getByRole('link', { name: 'Paper Airship: Wind from Afar' }).waitFor();
    await page.getByRole('button', { name: 'Theme: device' }).click();
    await page.getByRole('button', { name: 'Theme: light' }).click();
    await page.getByRole('button', { name: 'Theme: dark' }).waitFor();
    await page.reload({ waitUntil: 'commit' });
    await page.getByRole('heading', { name: 'On sale now' }).waitFor();
    expect([await root.getAttribute('lang'), await root.getAttribute('data-theme')]).toEqual(['en', 'dark']);
    // On paper everything is light.
    await page.emulateMedia({ media: 'print' });
    expect(await page.evaluate('getComputedStyle(document.documentElement).backgroundColor')).toBe(
      'rgb(245, 241, 232)',
    );
    expect(complaints()).toEqual([]);
  });

  test('on paper the pages beside the application are light, too', async () => {
    const { page } = await visitor({ theme: 'dark' });
    // A room that does not answer keeps the page where it is.
    await page.route('**/vwr/assign/**', (route) => route.abort());
    for (const name of ['vwr', 'fairness']) {
      await page.goto(`/${name}/01990000-0004-7000-8000-000000000004`);
      await page.locator('html[data-theme=dark]').waitFor();
      const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
      expect([name, await background()]).toEqual([name, 'rgb(19, 18, 16)']);
      await page.emulateMedia({ media: 'print' });
      expect([name, await background()]).toEqual([name, 'rgb(245, 241, 232)']);
      await page.emulateMedia({ media: 'screen' });
    }
  });

  test('a waiting room says when it begins, in the visitor’s own time', async () => {
    const { page } = await visitor({ timezone: 'America/New_York', locale: 'en-US' });
    const opensAt = '2026-12-03T11:00:00Z';
    await page.route('**/vwr/assign/**', (route) =>
      route.fulfill({ json: { requestId: 'r', position: 3, line: 3, era: 1 } }),
    );
    await page.route('**/vwr/status/**', (route) =>
      route.fulfill({ json: { isActive: true, phase: 'prequeue', servingLine: 0, rate: 50, opensAt } }),
    );
    await page.goto('/vwr/01990000-0004-7000-8000-000000000004');
    const notice = page.locator('#notice');
    await expect
      .poll(() => notice.textContent(), within)
      .toMatch(/^Entry begins at Dec 3, 2026, 6:00\sAM.*keep your number/);
    await page.locator('#language').click();
    expect(await notice.textContent()).toMatch(/오전 6:00.*에 입장을 시작합니다/);
  });

  test('the system’s change of theme is followed until another is chosen', async () => {
    const { page } = await visitor();
    await page.goto('/');
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(() => page.locator('html').getAttribute('data-theme'), within).toBe('dark');
    await page.getByRole('button', { name: '화면 모드: 기기 설정' }).click();
    await expect.poll(() => page.locator('html').getAttribute('data-theme'), within).toBe('light');
  });

  test('times are Seoul’s, with the visitor’s own beside them elsewhere', async () => {
    const abroad = await visitor({ timezone: 'America/New_York', locale: 'en-US' });
    await abroad.page.goto('/');
    await abroad.page
      .getByText(/Your time .+ \(UTC−[45]\)/)
      .first()
      .waitFor();
    await abroad.page
      .getByText(/\d\d:\d\d KST/)
      .first()
      .waitFor();
    const home = await visitor();
    await home.page.goto('/');
    await home.page.getByRole('timer').first().waitFor();
    expect(await home.page.getByText(/내 시간|한국 시각/).count()).toBe(0);
  });
});
