import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { atEnd } from '#test/kit/at-end.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { freePort } from '#test/kit/engines/ports.ts';
import { startRedis } from '#test/kit/engines/redis.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { whilePaused } from '#test/kit/faults.ts';
import { startUrrProcess } from '#test/kit/processes.ts';
import { aBrowser } from './kit/browser.ts';
import { aLine, seesTurn, signIn } from './kit/queue-line.ts';

/** An urr that can be killed and started again at the same address. */
async function anUrr(more: Readonly<Record<string, string>> = {}) {
  const env = {
    URR_DATABASE_URL: (await aDatabase()).url,
    URR_PORT: String(await freePort()),
    URR_QUEUE_THRESHOLD: '1',
    URR_QUEUE_ADMISSION_INTERVAL_MS: '200',
    URR_QUEUE_RECOVERING_SECONDS: '10',
    ...more,
  };
  let urr = await startUrrProcess({ env });
  return {
    url: urr.url,
    kill: () => urr.kill(),
    async start() {
      urr = await startUrrProcess({ env });
    },
  };
}

const sees = (page: Page, position: number) => page.getByText(`${position}번째`, { exact: true }).waitFor();

describeWith('chromium', 'waiting while the server is killed', () => {
  test('the place stays in sight, is kept though the store was lost with the process, and leads to the turn', async () => {
    const urr = await anUrr();
    const { visitor } = await aBrowser(urr.url);
    const line = await aLine(urr.url, 1);
    const [first, second] = [await visitor(), await visitor()];
    for (const [index, { page, context }] of [first, second].entries()) {
      await signIn(context, urr.url);
      await page.goto(line.path);
      await sees(page, index + 1);
    }
    await urr.kill();
    await second.page.getByText('연결이 고르지 않습니다.').waitFor();
    await sees(second.page, 2);
    await urr.start();
    for (const { page } of [first, second]) {
      await page.getByText('연결이 고르지 않습니다.').waitFor({ state: 'detached' });
    }
    await sees(second.page, 2);
    await line.leave(line.ahead[0]);
    await seesTurn(first.page);
    await sees(second.page, 1);
    expect(await second.page.getByText('입장하실 차례입니다').count()).toBe(0);
  });
});

describeWith(['chromium', 'redis'], 'waiting while the store is away', () => {
  test('the last known place is shown as such, and the line goes on when the store is back', async () => {
    const redis = await startRedis({ dir: await aFolder('queue-page-redis') });
    atEnd(() => redis.stop());
    const urr = await anUrr({ URR_REDIS_URL: redis.url });
    const { visitor } = await aBrowser(urr.url);
    const line = await aLine(urr.url, 3);
    const { page, context } = await visitor();
    await signIn(context, urr.url);
    await page.goto(line.path);
    await sees(page, 3);
    const stale = page.getByText('서버가 마지막으로 확인한 순서입니다.');
    await whilePaused(redis, async () => {
      await stale.waitFor();
      await sees(page, 3);
    });
    await stale.waitFor({ state: 'detached' });
    await line.leave(line.ahead[1]);
    await sees(page, 2);
  });
});
