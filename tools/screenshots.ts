import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Browser, chromium } from 'playwright-core';

/**
 * Takes the pictures of the README from a running urr with demonstration data:
 *   npm start, then: node scripts/run.mjs tools/screenshots.ts [--url http://localhost:3000] [--chromium /usr/bin/chromium]
 * The machine needs a Korean font (Debian: fonts-noto-cjk).
 */
const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://localhost:3000' },
    chromium: { type: 'string', default: '/usr/bin/chromium' },
    out: { type: 'string', default: fileURLToPath(new URL('../docs/images/', import.meta.url)) },
  },
});

interface Picture {
  readonly name: string;
  readonly path: string;
  readonly screen: 'phone' | 'desktop';
  readonly theme: 'light' | 'dark';
  readonly locale: 'ko-KR' | 'en-US';
}

const screens = {
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
  desktop: { viewport: { width: 1280, height: 800 } },
};

const opening = await firstEvent('announced');
const pictures: readonly Picture[] = [
  { name: 'home', path: '/', screen: 'desktop', theme: 'light', locale: 'ko-KR' },
  { name: 'home-dark-en', path: '/', screen: 'desktop', theme: 'dark', locale: 'en-US' },
  { name: 'event', path: `/events/${opening}`, screen: 'desktop', theme: 'light', locale: 'ko-KR' },
  { name: 'home-phone', path: '/', screen: 'phone', theme: 'light', locale: 'ko-KR' },
  { name: 'event-phone-dark', path: `/events/${opening}`, screen: 'phone', theme: 'dark', locale: 'ko-KR' },
];

mkdirSync(values.out, { recursive: true });
const browser = await chromium.launch({ executablePath: values.chromium, args: ['--no-sandbox', '--disable-gpu'] });
try {
  for (const picture of pictures) console.log(await take(browser, picture));
} finally {
  await browser.close();
}

async function take(from: Browser, { name, path, screen, theme, locale }: Picture): Promise<string> {
  const context = await from.newContext({
    ...screens[screen],
    colorScheme: theme,
    locale,
    timezoneId: 'Asia/Seoul',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await page.goto(values.url + path);
  await page.getByRole('timer').first().waitFor();
  await page.waitForLoadState('networkidle');
  const file = join(values.out, `${name}.png`);
  await page.screenshot({ path: file });
  await context.close();
  return file;
}

async function firstEvent(status: string): Promise<string> {
  const answer = await fetch(`${values.url}/api/events?status=${status}&limit=1`);
  if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status}`);
  const { items } = (await answer.json()) as { items: { id: string }[] };
  const [first] = items;
  if (first === undefined) throw new Error(`no event is ${status}: start urr with its demonstration data`);
  return first.id;
}
