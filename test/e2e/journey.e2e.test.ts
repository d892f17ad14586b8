import { beforeAll, expect, test } from 'vitest';
import { startTestApp } from '#test/kit/app.ts';
import { ApiProblem, aClient, type TestClient } from '#test/kit/client.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import type { EngineName } from '#test/kit/engines/engine.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { sharedEngine } from '#test/kit/engines/shared.ts';
import { eventually } from '#test/kit/faults.ts';
import { runUrr, startUrrProcess } from '#test/kit/processes.ts';

/**
 * One walk through everything that stands so far, on each way to run it. Whatever passes here passes because no module
 * knows where its peers run.
 */
function describeJourney(name: string, needed: readonly EngineName[], start: () => Promise<{ url: string }>) {
  describeWith(needed, name, () => {
    let visitor: TestClient;
    beforeAll(async () => {
      visitor = aClient((await start()).url);
    });

    test('a visitor finds what is on', async () => {
      const { items } = await visitor.listEvents();
      expect(items.map((event) => event.status)).toEqual(expect.arrayContaining(['on_sale', 'announced', 'sold_out']));
      const { items: found } = await visitor.listEvents({ query: { q: items[0]?.title ?? '', limit: 5 } });
      expect(found.map((event) => event.id)).toContain(items[0]?.id);
      const { now } = await visitor.getTime();
      expect(Math.abs(Date.parse(now) - Date.now())).toBeLessThan(60_000);
    });

    test('somebody registers, signs in, refreshes and signs out', async () => {
      const buyer = await visitor.as('buyer');
      const { user } = await buyer.getMe();
      expect(user.role).toBe('buyer');
      const before = buyer.cookies.header('/api/auth');
      await buyer.refreshSession({ body: null });
      expect(buyer.cookies.header('/api/auth')).not.toBe(before);
      await buyer.getMe();
      await buyer.logout({ body: null });
      await expect(buyer.getMe()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    });

    test('a seller puts on a show, buyers see it, and its views are counted', async () => {
      const seller = await visitor.as('seller');
      const eventId = await putOnAShow(seller);
      const seen = await eventually(() => visitor.getEvent({ params: { eventId } }), {
        withinMs: 30_000,
        what: 'the published event',
      });
      expect(seen.status).toBe('on_sale');
      for (let view = 0; view < 5; view++) await visitor.getEvent({ params: { eventId } });
      await eventually(async () => (await seller.getSellerEvent({ params: { eventId } })).views >= 6, {
        withinMs: 30_000,
        what: 'the views to come through the bus',
      });
      await seller.cancelEvent({ params: { eventId }, body: { reason: 'the singer is ill' } });
      await eventually(async () => (await visitor.getEvent({ params: { eventId } })).status === 'cancelled', {
        withinMs: 30_000,
        what: 'the cancellation to be seen',
      });
    });

    test('an admin acts for a seller, which catalog asks auth about', async () => {
      const admin = await visitor.as('admin');
      const { items: users } = await admin.listUsers({ query: { q: 'seller@urr.test' } });
      const sellerId = users[0]?.id ?? '';
      const artist = await admin.createArtist({ body: { name: '대신 만든 가수', sellerId } });
      expect(artist.sellerId).toBe(sellerId);
      const { user: buyer } = await (await visitor.as('buyer')).getMe();
      await expect(admin.createArtist({ body: { name: '가수', sellerId: buyer.id } })).rejects.toBeInstanceOf(
        ApiProblem,
      );
    });

    test('creating twice with one key creates once', async () => {
      const seller = await visitor.as('seller');
      const idempotencyKey = crypto.randomUUID();
      const body = { name: '한 번만' };
      const [first, second] = [
        await seller.createArtist({ body }, { idempotencyKey }),
        await seller.createArtist({ body }, { idempotencyKey }),
      ];
      expect(second.id).toBe(first.id);
      await expect(seller.createArtist({ body: { name: '다른 이름' } }, { idempotencyKey })).rejects.toMatchObject({
        status: 422,
        code: 'IDEMPOTENCY_MISMATCH',
      });
    });

    test('a claimed identity is not believed', async () => {
      const answer = await visitor.raw('/api/seller/events', {
        headers: { 'x-user-id': crypto.randomUUID(), 'x-user-email': 'admin@urr.test', 'x-user-role': 'admin' },
      });
      expect(answer.status).toBe(401);
    });

    test('a buyer may not sell', async () => {
      const buyer = await visitor.as('buyer');
      await expect(buyer.createArtist({ body: { name: '나' } })).rejects.toMatchObject({
        status: 403,
        code: 'FORBIDDEN',
      });
    });

    test('the versioned prefix answers alike, and the page is served', async () => {
      expect((await visitor.raw('/api/v1/events')).status).toBe(200);
      const page = await visitor.raw('/', { headers: { accept: 'text/html' } });
      expect(page.headers.get('content-type')).toContain('text/html');
    });
  });
}

async function putOnAShow(seller: TestClient): Promise<string> {
  const artist = await seller.createArtist({ body: { name: '파도소리' } });
  const venue = await seller.createVenue({ body: { name: '바닷가 극장', address: '부산' } });
  const layout = await seller.createLayout({
    body: {
      venueId: venue.id,
      name: '기본',
      sections: [
        {
          id: 'A',
          name: 'A구역',
          grade: 'R',
          rows: [
            {
              label: '1',
              seats: [
                { label: '1', x: 0, y: 0 },
                { label: '2', x: 10, y: 0 },
              ],
            },
          ],
        },
      ],
      standingAreas: [{ id: 'S', name: '스탠딩', capacity: 100 }],
    },
  });
  const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString();
  const draft = await seller.createEvent({
    body: {
      title: '파도 콘서트',
      artistId: artist.id,
      venueId: venue.id,
      layoutId: layout.id,
      startsAt: hours(48),
      saleOpensAt: hours(-1),
      saleClosesAt: hours(47),
      prices: [{ grade: 'R', priceKrw: 99_000 }],
      standingPrices: [{ areaId: 'S', priceKrw: 55_000 }],
    },
  });
  expect(draft.problems).toEqual([]);
  await seller.publishEvent({ params: { eventId: draft.id } });
  return draft.id;
}

describeJourney('all roles in one process', [], () => startTestApp({ demo: true }));

describeJourney('gateway, auth and catalog in three processes', [], async () => {
  const { url, name } = await aDatabase();
  const database = { URR_DATABASE_URL: url };
  expect(await runUrr(['demo', '--into', name], database)).toMatchObject({ code: 0 });
  const auth = await startUrrProcess({ args: ['--roles', 'auth'], env: database });
  const catalog = await startUrrProcess({ args: ['--roles', 'catalog'], env: { ...database, URR_AUTH_URL: auth.url } });
  return startUrrProcess({
    args: ['--roles', 'gateway'],
    env: { ...database, URR_AUTH_URL: auth.url, URR_CATALOG_URL: catalog.url },
  });
});

describeJourney('two workers on Redis, PostgreSQL and Kafka', ['redis', 'kafka'], async () => {
  const { url, name } = await aDatabase();
  const env = {
    URR_DATABASE_URL: url,
    URR_REDIS_URL: (await sharedEngine('redis')).url,
    URR_KAFKA_BROKERS: (await sharedEngine('kafka')).brokers,
  };
  expect(await runUrr(['demo', '--into', name], env)).toMatchObject({ code: 0 });
  return startUrrProcess({ args: ['--workers', '2'], env });
});
