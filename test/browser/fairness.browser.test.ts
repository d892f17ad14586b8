import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { drawVectors } from '#edge/draw/testing/vectors.ts';
import { verifyDraw } from '#edge/draw/verify.ts';
import { verifyWithWebCrypto } from '#edge/draw/web-signatures.ts';
import { sayCheck, sayVerdict } from '#edge/draw/words.ts';
import { startTestApp } from '#test/kit/app.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { accessibilityProblems } from './kit/axe.ts';
import { aBrowser, within } from './kit/browser.ts';
import { sidewaysOverflow } from './kit/page-facts.ts';

const vectors = new URL('../../docs/draw-vectors.json', import.meta.url);
const { draws }: ReturnType<typeof drawVectors> = JSON.parse(readFileSync(vectors, 'utf8'));

describeWith('chromium', 'the page that verifies a draw', async () => {
  const app = await startTestApp();
  const { visitor } = await aBrowser(app.url);
  const [golden] = draws.slice(3);
  if (golden === undefined) throw new Error('no golden draw');
  const { draw } = golden;
  const { receipt, number } = golden.receipts[1] ?? {};
  const path = `/fairness/${draw.eventId}`;
  const jsonFile = (name: string, content: unknown) => ({
    name,
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(content)),
  });

  async function open(page: Page, published: unknown): Promise<void> {
    await page.route('**/vwr/draw/*', (route) =>
      published === null ? route.fulfill({ status: 404, json: {} }) : route.fulfill({ json: published }),
    );
    await page.goto(path);
  }

  async function shown(page: Page) {
    await expect.poll(() => page.locator('#result').isVisible(), within).toBe(true);
    const text = (id: string) => page.locator(id).textContent();
    return { verdict: await text('#verdict'), checks: await page.locator('#checks li').allTextContents() };
  }

  test.each([
    ['ko', { locale: 'ko-KR', width: 1280 }, 'light'],
    ['en', { locale: 'en-US', width: 320, touch: true }, 'dark'],
  ] as const)('says in %s what the command says, for everybody', async (language, device, theme) => {
    const { page, complaints } = await visitor({ ...device, theme });
    await page.addInitScript(
      ([name = '', text = '']) => localStorage.setItem(name, text),
      [`urr.draw.${draw.eventId}`, JSON.stringify(receipt)],
    );
    await open(page, draw);
    const verdict = await verifyDraw(draw, { receipt, nowMs: Date.now(), isSigned: verifyWithWebCrypto });
    const { verdict: said, checks } = await shown(page);
    expect(said).toBe(sayVerdict(verdict, language));
    expect(checks).toHaveLength(verdict.checks.length);
    for (const [i, check] of verdict.checks.entries()) expect(checks[i]).toContain(sayCheck(check, language));
    expect(await page.locator('#number').textContent()).toContain(String(number));
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await sidewaysOverflow(page)).toBe(0);
    expect(complaints()).toEqual([]);
  });

  test('one figure of the receipt changed, and it is wrong; the language can be changed on the spot', async () => {
    const { page } = await visitor();
    await open(page, draw);
    await shown(page);
    await page.setInputFiles(
      '#receipt-file',
      jsonFile('receipt.json', { ...receipt, entry: (receipt?.entry ?? 0) + 1 }),
    );
    await expect.poll(() => page.locator('#verdict').textContent(), within).toContain('실패');
    await expect.poll(() => page.locator('#polite').textContent(), within).toContain('실패');
    await page.click('#language');
    expect(await page.locator('#verdict').textContent()).toContain('NOT verified');
    expect(await page.locator('#polite').textContent()).toBe('');
    expect(await page.locator('#home').textContent()).toBe('urr');
    expect(await page.locator('#checks .failed').allTextContents()).toHaveLength(1);
    expect(await page.locator('#number').isVisible()).toBe(false);
  });

  test('without a published draw a kept file is checked, and what is no draw is said', async () => {
    const { page } = await visitor({ locale: 'en-US' });
    await open(page, null);
    await expect.poll(() => page.locator('#draw-state').textContent(), within).toContain('No draw is published');
    await page.setInputFiles('#draw-file', jsonFile('draw.json', { ...draw, era: 'three' }));
    await expect.poll(() => page.locator('#draw-state').textContent(), within).toBe('This file cannot be read: era');
    // Also for somebody who only hears the page.
    await expect.poll(() => page.locator('#polite').textContent(), within).toBe('This file cannot be read: era');
    await page.setInputFiles('#draw-file', jsonFile('draw.json', draw));
    expect((await shown(page)).verdict).toContain('Verified');
    const download = page.waitForEvent('download');
    await page.click('#keep-draw');
    const kept = await (await download).path();
    expect(JSON.parse(readFileSync(kept, 'utf8'))).toEqual(draw);
  });

  test('its policy allows its own script and style, and nothing else', async () => {
    const answer = await fetch(`${app.url}${path}`, { headers: { accept: 'text/html' } });
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[\w+/=]+'; style-src 'sha256-[\w+/=]+'; /);
    expect(policy).toContain("frame-ancestors 'none'");
    expect((await answer.text()).length).toBeLessThan(40_000);
  });
});
