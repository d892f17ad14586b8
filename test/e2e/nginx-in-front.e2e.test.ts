import { beforeAll, expect, it } from 'vitest';
import { type ReadyCase, readyCases } from '#edge/decide/testing/ready-cases.ts';
import { aCaseSite, type CaseSite, loosely, saidBy } from '#modules/waiting-room/testing/a-case-site.ts';
import { startTestApp } from '#test/kit/app.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { startNginx } from '#test/kit/engines/nginx.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { aShowOnSale, aSignedIn } from '#test/kit/queue/show.ts';
import { createSendRaw, type RawAnswer, type SendRaw } from '#test/kit/raw-http.ts';
import { jsonCall } from '#test/kit/stage.ts';

async function nginxBefore(upstream: string): Promise<SendRaw> {
  const nginx = await startNginx({ dir: await aFolder('nginx'), upstream });
  atEnd(() => nginx.kill());
  return createSendRaw(nginx.url, { connectionsMax: 1_000 });
}

describeWith('nginx', 'behind nginx the decision', () => {
  let site: CaseSite;
  let send: SendRaw;
  beforeAll(async () => {
    site = await aCaseSite();
    send = await nginxBefore(site.url);
  });

  /** nginx refuses some paths by itself, in its own words. */
  function said(answer: RawAnswer) {
    const isOfNginx = answer.status === 400 && answer.headers['content-type'] === 'text/html';
    return loosely(isOfNginx ? { refused: 'MALFORMED_PATH' } : saidBy(answer));
  }
  /** nginx reads a path for itself before anybody is asked about it, and leaves out the waiting room and the files of the build. */
  const isLeftOut = ({ target }: ReadyCase) => /^\/(?:vwr-api\/)?vwr\/|^\/assets\//.test(target);
  /** Tier 2's own question, which the gateway puts whether a room is on or not. */
  const isOfTier2 = ({ rooms, target }: ReadyCase) => rooms.length === 0 && target.startsWith('/api/seats/');

  it('is that of the whole table of cases', async () => {
    const [got, wanted]: unknown[][] = [[], []];
    for (const ready of await readyCases()) {
      const { name, target, method } = ready;
      // HEAD shows no body to say which refusal it is.
      if (method === 'HEAD' || isOfTier2(ready)) continue;
      site.on(ready.rooms);
      const headers = { accept: 'text/html', authorization: `Bearer ${site.accessToken}`, ...ready.headers };
      const answer = await send({ method, path: target, headers });
      if (isLeftOut(ready) && answer.status === 404) continue;
      got?.push([name, target, said(answer)]);
      wanted?.push([name, target, loosely(ready.expect)]);
    }
    expect(got?.length).toBeGreaterThan(500);
    expect(got).toEqual(wanted);
  });

  it('is kept nowhere, and names a path of this site', async () => {
    const [ready] = (await readyCases()).filter(({ expect: then }) => 'sentTo' in then);
    site.on(ready?.rooms ?? []);
    const { headers } = await send({ path: ready?.target ?? '', headers: { accept: 'text/html' } });
    expect(headers).toMatchObject({ 'cache-control': 'no-store', location: expect.stringMatching(/^\/vwr\//) });
  });
});

describeWith('nginx', 'a thousand who watch one waiting room', () => {
  const watching = 1_000;
  const rounds = 4;
  const route = 'route="/vwr/status/:eventId"';

  it('cost the origin about one status request a second', async () => {
    const { url } = await startTestApp();
    const eventId = await aShowOnSale(url);
    const send = await nginxBefore(url);
    const operator = aSignedIn('operator');
    const path = `/api/admin/vwr/activate/${eventId}`;
    const activated = await send(jsonCall({ method: 'POST', path, token: operator.accessToken }));
    expect([activated.status, activated.text]).toMatchObject([200, expect.any(String)]);

    async function asked(): Promise<number> {
      const text = await (await fetch(`${url}/metrics`)).text();
      const lines = text.split('\n').filter((line) => line.startsWith('urr_http_') && line.includes(route));
      const counts = lines
        .filter((line) => /_count\{|_total\{/.test(line))
        .map((line) => Number(line.split(' ').at(-1)));
      return counts.length === 0 ? 0 : Math.max(...counts);
    }
    const before = await asked();
    const begunMs = performance.now();
    for (let round = 0; round < rounds; round++) {
      const answers = await Promise.all(
        Array.from({ length: watching }, (_, n) =>
          // Each with cookies of its own: they are not what the document is about.
          send({ path: `/vwr/status/${eventId}`, headers: { cookie: `urr-vwr-request-${eventId}=${n}` } }),
        ),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      for (const { text } of answers) expect(JSON.parse(text)).toMatchObject({ eventId, isActive: true });
      await new Promise((resolve) => setTimeout(resolve, 400));
    }
    const seconds = (performance.now() - begunMs) / 1_000;
    const cost = (await asked()) - before;
    // One when each second begins, and the first and the last of them are not whole.
    expect(cost).toBeGreaterThan(0);
    expect(cost).toBeLessThanOrEqual(seconds + 2);
  });
});
