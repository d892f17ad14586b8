import { beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '#test/kit/app.ts';
import { aClient, demoPassword, type TestClient } from '#test/kit/client.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { aBrowser, type Visitor } from './kit/browser.ts';
import { seesTurn } from './kit/queue-line.ts';

describeWith('chromium', 'the way from an event through the real queue', () => {
  let app: TestApp;
  let visitor: () => Promise<Visitor>;
  let eventId: string;
  let operator: TestClient;

  beforeAll(async () => {
    app = await startTestApp({ demo: true, env: { URR_QUEUE_ADMISSION_INTERVAL_MS: '200' } });
    visitor = (await aBrowser(app.url)).visitor;
    operator = await aClient(app.url).as('operator');
    const { items } = await operator.listEvents({ query: { status: 'on_sale' } });
    eventId = items[0]?.id ?? '';
    await operator.setQueueThreshold({ params: { eventId }, body: { threshold: 1 } });
  });

  /** As anybody would: find the show, press the button, sign in when asked, be in line. */
  async function arrive(email: string): Promise<Visitor> {
    const one = await visitor();
    await one.page.goto(`/events/${eventId}`);
    await one.page.getByRole('link', { name: '예매하기' }).click();
    await one.page.getByLabel('이메일').fill(email);
    await one.page.getByLabel('비밀번호', { exact: true }).fill(demoPassword);
    await one.page.getByRole('main').getByRole('button', { name: '로그인' }).click();
    // The first is let in at once, and led on after some seconds.
    await one.page.waitForURL(({ pathname }) => pathname.startsWith('/queue/') || pathname.endsWith('/seats'));
    return one;
  }

  test('the first is let in, the second waits, and is let in when the first gives the turn away', async () => {
    const first = await arrive('buyer1@urr.test');
    await seesTurn(first.page);
    const second = await arrive('buyer2@urr.test');
    // The number: everything around it is drawn before there is a place.
    await second.page.getByText('1번째', { exact: true }).waitFor();
    expect(await operator.getQueueOverview({ params: { eventId } })).toMatchObject({
      active: 1,
      waiting: 1,
      threshold: 1,
    });
    const buyer = aClient(app.url);
    await buyer.signIn('buyer1@urr.test');
    await buyer.leaveQueue({ params: { eventId } });
    await second.page.waitForURL(`**/events/${eventId}**`);
    await second.page.getByText('지금 예매하실 차례입니다').first().waitFor();
    // A visitor who is not signed in is told so by one 401 before the page for it opens.
    expect(second.complaints().filter((complaint) => !complaint.includes('401'))).toEqual([]);
  });
});
