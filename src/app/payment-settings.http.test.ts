import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aGateway } from '#modules/gateway/test/a-gateway.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { loadConfig } from './config.ts';
import { paymentPages } from './payment-settings.ts';

const html = { accept: 'text/html' };

/** What a page may load, and whether its windows may answer, with these settings. */
async function headersOf(env: Record<string, string>, url: string) {
  const pagesFolder = await aFolder('payment-pages');
  writeFileSync(join(pagesFolder, 'index.html'), '<title>urr</title>');
  const { app, call } = await aGateway({ pagesFolder, pages: paymentPages(loadConfig(env).config) });
  try {
    const { headers } = await call({ url, headers: html });
    return { policy: String(headers['content-security-policy']), opener: headers['cross-origin-opener-policy'] };
  } finally {
    await app.close();
  }
}

const keys = { URR_TOSS_CLIENT_KEY: 'test_ck_0123456789' };

test('the pages of a payment may load the script of Toss and show its frames', async () => {
  for (const url of ['/payment/o1', '/payment/o1/success?paymentKey=k']) {
    const { policy, opener } = await headersOf(keys, url);
    expect(policy).toContain("script-src 'self' https://js.tosspayments.com;");
    for (const directive of ['frame-src', "connect-src 'self'", "form-action 'self'"])
      expect(policy).toContain(`${directive} https://js.tosspayments.com https://*.tosspayments.com`);
    expect(opener).toBe('same-origin-allow-popups');
  }
});

test('no other page may, nor those where Toss is not configured', async () => {
  const strict = await headersOf({}, '/events/e1');
  expect(strict.policy).not.toContain('toss');
  expect(strict.opener).toBe('same-origin');
  for (const url of ['/', '/events/e1', '/payments', '/my/reservations'])
    expect(await headersOf(keys, url)).toEqual(strict);
  expect(await headersOf({}, '/payment/o1')).toEqual(strict);
});

test('with a stand-in only the stand-in is allowed', async () => {
  const { policy } = await headersOf({ ...keys, URR_TOSS_SDK_URL: 'http://127.0.0.1:4100/v2/standard' }, '/payment/o1');
  expect(policy).toContain("script-src 'self' http://127.0.0.1:4100;");
  expect(policy).not.toContain('tosspayments');
});
