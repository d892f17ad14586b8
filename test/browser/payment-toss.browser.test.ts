import { expect, test } from 'vitest';
import { aFakeToss } from '#modules/payments/testing/a-fake-toss.ts';
import { startTestApp } from '#test/kit/app.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { accessibilityProblems } from './kit/axe.ts';
import { aBrowser } from './kit/browser.ts';
import { anOrder, payButton, payKeys, signInAt, slipTitle } from './kit/paying.ts';
import { publishSale } from './kit/shows.ts';

describeWith('chromium', 'paying by Toss', async () => {
  const { fake } = await aFakeToss({ standsStill: false });
  const env = {
    ...{ URR_TOSS_URL: fake.url, URR_TOSS_SDK_URL: fake.sdkUrl },
    ...{ URR_TOSS_SECRET_KEY: fake.secretKey, URR_TOSS_CLIENT_KEY: fake.clientKey },
  };
  const app = await startTestApp({ demo: true, env });
  const { visitor } = await aBrowser(app.url);

  test('the window is closed, then opened again and paid in; a reload takes no more', async () => {
    const eventId = await publishSale(app.url);
    const email = 'buyer1@urr.test';
    const { buyer, path } = await anOrder(app.url, { eventId, email, seatIds: ['S1-1-1'] });
    const { page, context, complaints } = await visitor();
    const keys = payKeys(context);
    await signInAt(page, path, email);
    const open = async () => {
      await page.getByLabel('전체 동의').check();
      await payButton(page).dblclick();
      await page.waitForURL((url) => url.origin === new URL(fake.url).origin);
    };
    await payButton(page).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await open();
    await page.locator('button[name=ended]').first().click();
    await slipTitle(page, '결제가 완료되지 않았습니다').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('link', { name: '다시 결제하기' }).click();
    await open();
    await page.locator('button[name=behaviour]').first().click();
    await slipTitle(page, '결제가 완료되었습니다').waitFor();
    await page.reload();
    await slipTitle(page, '결제가 완료되었습니다').waitFor();
    expect(keys.length).toBe(1);
    expect((await buyer.listMyPayments()).items.map(({ status, provider }) => [provider, status])).toEqual([
      ['toss', 'captured'],
    ]);
    expect(complaints().filter((complaint) => !complaint.includes('401'))).toEqual([]);
  });
});
