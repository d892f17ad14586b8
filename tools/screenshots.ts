import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';

/**
 * Takes the pictures of the README from a running urr with demonstration data:
 *   npm start, then: node scripts/run.mjs tools/screenshots.ts [--url http://localhost:3000] [--chromium /usr/bin/chromium]
 * The machine needs a Korean font (Debian: fonts-noto-cjk).
 */
const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://localhost:3000' },
    chromium: { type: 'string', default: '/usr/bin/chromium' },
    password: { type: 'string', default: 'urr-demo' },
    out: { type: 'string', default: fileURLToPath(new URL('../docs/images/', import.meta.url)) },
  },
});

interface Picture {
  readonly name: string;
  readonly path: string;
  readonly screen: 'phone' | 'desktop';
  readonly theme: 'light' | 'dark';
  readonly locale: 'ko-KR' | 'en-US';
  /** What a buyer does there before the picture is taken. */
  readonly act?: (page: Page) => Promise<void>;
  readonly after?: () => Promise<void>;
}

const screens = {
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
  desktop: { viewport: { width: 1280, height: 800 } },
};

const opening = await anEvent('announced', () => true);
// The show with numbered seats.
const seated = await anEvent('on_sale', ({ priceMaxKrw }) => priceMaxKrw === 165_000);
const pictures: readonly Picture[] = [
  { name: 'home', path: '/', screen: 'desktop', theme: 'light', locale: 'ko-KR' },
  { name: 'home-dark-en', path: '/', screen: 'desktop', theme: 'dark', locale: 'en-US' },
  { name: 'event', path: `/events/${opening}`, screen: 'desktop', theme: 'light', locale: 'ko-KR' },
  { name: 'home-phone', path: '/', screen: 'phone', theme: 'light', locale: 'ko-KR' },
  { name: 'event-phone-dark', path: `/events/${opening}`, screen: 'phone', theme: 'dark', locale: 'ko-KR' },
  { name: 'seats', ...saleOf(seated), screen: 'desktop', theme: 'light', locale: 'ko-KR', act: enterAs('buyer19') },
  { name: 'held-phone', ...saleOf(seated), screen: 'phone', theme: 'dark', locale: 'en-US', act: holdAs('buyer20') },
  {
    name: 'queue-phone',
    ...saleOf(seated),
    screen: 'phone',
    theme: 'light',
    locale: 'ko-KR',
    act: waitAs('buyer18'),
    after: () => letIn(1_000),
  },
  { name: 'payment', ...saleOf(seated), screen: 'desktop', theme: 'light', locale: 'ko-KR', act: orderAs('buyer17') },
  {
    name: 'payment-phone',
    ...saleOf(seated),
    screen: 'phone',
    theme: 'light',
    locale: 'ko-KR',
    act: orderAs('buyer16'),
  },
  { name: 'ticket-phone', ...saleOf(seated), screen: 'phone', theme: 'light', locale: 'ko-KR', act: payAs('buyer15') },
];

mkdirSync(values.out, { recursive: true });
const browser = await chromium.launch({ executablePath: values.chromium, args: ['--no-sandbox', '--disable-gpu'] });
try {
  for (const picture of pictures) console.log(await take(browser, picture));
} finally {
  await browser.close();
}

async function take(from: Browser, { name, path, screen, theme, locale, act, after }: Picture): Promise<string> {
  const context = await from.newContext({
    ...screens[screen],
    colorScheme: theme,
    locale,
    timezoneId: 'Asia/Seoul',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await page.goto(values.url + path);
  await act?.(page);
  await page.getByRole('timer').or(page.locator('[data-qr], [role=progressbar]')).first().waitFor();
  await page.waitForLoadState('networkidle');
  const file = join(values.out, `${name}.png`);
  await page.screenshot({ path: file });
  await context.close();
  await after?.();
  return file;
}

/** Through the queue, which leads to the seats by itself. */
function saleOf(eventId: string) {
  return { path: `/login?next=/queue/${eventId}` };
}

function enterAs(buyer: string) {
  return async (page: Page) => {
    await page.locator('input[autocomplete=username]').fill(`${buyer}@urr.test`);
    await page.locator('input[autocomplete=current-password]').fill(values.password);
    await page.locator('main button[type=submit]').click();
    await page.locator('[data-seat-map]').waitFor();
  };
}

function holdAs(buyer: string) {
  return async (page: Page) => {
    await enterAs(buyer)(page);
    await page
      .getByRole('button', { name: /section B|B구역/ })
      .first()
      .click();
    for (const seat of [8, 9]) await page.locator('[data-seat]:not([aria-disabled=true])').nth(seat).click();
    await page.locator('[data-action-bar] button').last().click();
    await page.locator('#held-title').waitFor();
    await page.evaluate('scrollTo(0, 0)');
  };
}

/** In line: nobody is let in meanwhile. */
function waitAs(buyer: string) {
  return async (page: Page) => {
    await letIn(0);
    await page.locator('input[autocomplete=username]').fill(`${buyer}@urr.test`);
    await page.locator('input[autocomplete=current-password]').fill(values.password);
    await page.locator('main button[type=submit]').click();
    await page.waitForURL('**/queue/*');
    await page.getByRole('progressbar').waitFor();
  };
}

/** As the operator: how many may be in a slot at once. */
async function letIn(threshold: number): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const login = await fetch(`${values.url}/api/auth/login`, {
    ...{ method: 'POST', headers },
    body: JSON.stringify({ email: 'operator@urr.test', password: values.password }),
  });
  const { accessToken } = (await login.json()) as { accessToken: string };
  await fetch(`${values.url}/api/queue/admin/threshold/${seated}`, {
    ...{ method: 'PUT', headers: { ...headers, authorization: `Bearer ${accessToken}` } },
    body: JSON.stringify({ threshold }),
  });
}

/** The payment page of what was held. */
function orderAs(buyer: string) {
  return async (page: Page) => {
    await holdAs(buyer)(page);
    await page.getByRole('button', { name: /결제하기$|^Pay/ }).click();
    await page.locator('input[name=cardNumber]').waitFor();
    await page.getByRole('radio').nth(2).check();
    await page.evaluate('scrollTo(0, 0)');
  };
}

/** The ticket, bought with a test card that approves. */
function payAs(buyer: string) {
  return async (page: Page) => {
    await orderAs(buyer)(page);
    await page.getByRole('checkbox').first().check();
    await page.locator('[data-action-bar] button[type=submit]').click();
    await page.waitForURL('**/success');
    await page.goto(`${values.url}/my/tickets`);
    await page.locator('[data-qr]').first().waitFor();
  };
}

interface Listed {
  readonly id: string;
  readonly priceMaxKrw: number | null;
}

async function anEvent(status: string, isIt: (event: Listed) => boolean): Promise<string> {
  const answer = await fetch(`${values.url}/api/events?status=${status}`);
  if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status}`);
  const { items } = (await answer.json()) as { items: Listed[] };
  const found = items.find(isIt);
  if (found === undefined) throw new Error(`no such event is ${status}: start urr with its demonstration data`);
  return found.id;
}
