import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { atEnd } from '#test/kit/at-end.ts';
import { chromiumPath } from '#test/kit/chromium-path.ts';

export interface VisitorOptions {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
  readonly locale?: string;
  readonly timezone?: string;
  readonly touch?: boolean;
}

export interface Visitor {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser complained about so far: errors of scripts, of the content policy, of anything it logs as error. */
  complaints(): readonly string[];
}

/** One Chromium for a test file, closed when the file has run. */
export async function aBrowser(baseUrl: string) {
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: quietFlags });
  atEnd(() => browser.close());
  return { visitor: (options: VisitorOptions = {}) => aVisitor(browser, baseUrl, options) };
}

/** Somebody with a fresh profile; Korean, in Seoul, with a light screen, unless told otherwise. Gone after the test. */
async function aVisitor(browser: Browser, baseUrl: string, options: VisitorOptions): Promise<Visitor> {
  const context = await browser.newContext({
    baseURL: baseUrl,
    viewport: { width: options.width ?? 1280, height: options.height ?? 800 },
    colorScheme: options.theme ?? 'light',
    locale: options.locale ?? 'ko-KR',
    timezoneId: options.timezone ?? 'Asia/Seoul',
    isMobile: options.touch ?? false,
    hasTouch: options.touch ?? false,
    reducedMotion: 'reduce',
  });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(waitMs);
  const complaints: string[] = [];
  context.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  context.on('weberror', (failure) => complaints.push(failure.error().message));
  return { context, page: await context.newPage(), complaints: () => complaints };
}

/** A guard against hanging, long enough for a busy machine. */
const waitMs = 90_000;
/** For `expect.poll`. */
export const within = { timeout: waitMs, interval: 50 };

const quietFlags = [
  // Chromium's own sandbox needs privileges that containers and CI machines seldom give.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];
