import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { aHold } from '#modules/ticketing/testing/a-hold.ts';
import { aSale } from '#modules/ticketing/testing/a-sale.ts';
import { startTestApp } from '#test/kit/app.ts';
import { demoPassword } from '#test/kit/client.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { accessibilityProblems } from './kit/axe.ts';
import { aBrowser } from './kit/browser.ts';
import { focused, sidewaysOverflow } from './kit/page-facts.ts';

describeWith('chromium', 'the own data', async () => {
  const app = await startTestApp({ demo: true });
  const { visitor } = await aBrowser(app.url);

  async function open(page: Page, email: string, language: 'ko' | 'en' = 'ko'): Promise<void> {
    const words = {
      ko: ['이메일', '비밀번호', '로그인', '내 데이터'],
      en: ['Email', 'Password', 'Sign in', 'Your data'],
    };
    const [emailLabel = '', passwordLabel = '', signIn = '', section = ''] = words[language];
    await page.goto('/me');
    await page.getByLabel(emailLabel).fill(email);
    await page.getByLabel(passwordLabel, { exact: true }).fill(demoPassword);
    await page.getByRole('main').getByRole('button', { name: signIn }).click();
    await page.getByRole('heading', { name: section }).waitFor();
  }

  test('is downloaded as one file', async () => {
    const { page, complaints } = await visitor();
    await open(page, 'buyer11@urr.test');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: '내 데이터 받기' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('urr-data.json');
    const file = JSON.parse(await readFile(await download.path(), 'utf8')) as { data: Record<string, unknown> };
    expect(Object.keys(file.data).sort()).toEqual(['auth', 'catalog', 'payments', 'queue', 'ticketing']);
    expect(JSON.stringify(file)).toContain('buyer11@urr.test');
    expect(complaints()).toEqual([]);
  });

  test('an account is kept by Escape and by the first button, and goes with the right password only', async () => {
    const { page } = await visitor();
    await open(page, 'buyer12@urr.test');
    const leave = page.getByRole('button', { name: '계정 삭제' });
    const dialog = page.getByRole('dialog');
    await leave.click();
    expect((await focused(page)).text).toBe('계정 유지');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await leave.click();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });

    await leave.click();
    const confirm = dialog.getByRole('button', { name: '계정 삭제' });
    const password = dialog.getByLabel('비밀번호', { exact: true });
    await password.fill('not-the-password');
    await confirm.click();
    await dialog.getByText('비밀번호가 맞지 않습니다.').waitFor();
    await password.fill(demoPassword);
    await confirm.click();
    await page.getByRole('banner').getByRole('link', { name: '로그인' }).waitFor();
    await page.waitForURL(`${app.url}/`);

    await page.goto('/login');
    await page.getByLabel('이메일').fill('buyer12@urr.test');
    await page.getByLabel('비밀번호', { exact: true }).fill(demoPassword);
    await page.getByRole('main').getByRole('button', { name: '로그인' }).click();
    await page.getByRole('alert').getByText('이메일이나 비밀번호가 맞지 않습니다.').waitFor();
  });

  test('what stands against it is said in words', async () => {
    const { database } = app.urr.engines;
    const [user] = (await app.urr.modules.auth?.service.administration.list({ q: 'buyer13@', limit: 1 }))?.items ?? [];
    if (database === null || user === undefined) throw new Error('the demonstration is not there');
    await aHold(database, await aSale(database), { userId: user.id, seatNos: [0] });
    const { page } = await visitor({ locale: 'en-US' });
    await open(page, 'buyer13@urr.test', 'en');
    await page.getByRole('button', { name: 'Delete account' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Password', { exact: true }).fill(demoPassword);
    await dialog.getByRole('button', { name: 'Delete account' }).click();
    await dialog.getByRole('alert').getByText('You are holding seats.').waitFor();
    await dialog.getByRole('button', { name: 'Keep account' }).click();
    await page.getByText('buyer13@urr.test').waitFor();
  });

  test.each([
    ['light', 'ko-KR', 'ko', 320],
    ['dark', 'en-US', 'en', 1_280],
  ] as const)('axe finds nothing in the dialog, and it fits (%s, %s)', async (theme, locale, language, width) => {
    const { page } = await visitor({ theme, locale, width });
    await open(page, 'buyer14@urr.test', language);
    const before = await accessibilityProblems(page);
    await page.getByRole('button', { name: language === 'ko' ? '계정 삭제' : 'Delete account' }).click();
    await page.getByRole('dialog').waitFor();
    expect([...before, ...(await accessibilityProblems(page))]).toEqual([]);
    expect(await sidewaysOverflow(page)).toBe(0);
  });
});
