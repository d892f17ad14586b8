import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callerHeaders, cookieNames, cookiePrefixes } from '#platform/http/names.ts';
import { edgeCookies, edgeHeaders } from '../names.ts';
import { indexRooms } from '../rooms.ts';
import { type Expected, eventA, eventOff } from './cases.ts';
import { type DecideCall, type Decision, decideSteps } from './decide.ts';
import { createPassMemo } from './memo.ts';
import { findAnyPass } from './passes.ts';
import { isMalformed, isPlain } from './paths.ts';
import { answerOf, decideRequest } from './respond.ts';
import { runLater, runNow } from './steps.ts';
import { caseKeys, caseNowMs, mint, type TokenSpec } from './testing/mint.ts';
import { createNodeMacs } from './testing/node-macs.ts';
import { caseFiles, type ReadyCase, readyCases } from './testing/ready-cases.ts';
import { createWebMacs } from './web-macs.ts';

const cases = await readyCases();
const [stands, standsLater] = [createNodeMacs(caseKeys), createWebMacs(caseKeys)];

function roomsOf(ids: readonly string[]) {
  return indexRooms(ids.map((eventId) => ({ eventId, mode: 'site', era: 3, failMode: 'open' })));
}

function callOf({ method, target, headers, rooms }: ReadyCase): DecideCall {
  const queryAt = target.indexOf('?') === -1 ? target.length : target.indexOf('?');
  const at = { path: target.slice(0, queryAt), query: target.slice(queryAt) };
  return { method, ...at, headers, rooms: roomsOf(rooms), nowMs: caseNowMs, files: caseFiles };
}

function said(decision: Decision): Expected {
  switch (decision.status) {
    case 'pass':
      return { goes: decision.isGuarded ? 'on, guarded' : 'on' };
    case 'malformed':
      return { refused: 'MALFORMED_PATH' };
    default: {
      if (!decision.isApi) return { sentTo: decision.location };
      const code = decision.status === 'wait' ? 'WAITING_ROOM_REQUIRED' : 'ENTRY_TOKEN_REQUIRED';
      return { refused: code, redirectTo: decision.location };
    }
  }
}

/** By name, so that one failure shows all that are wrong. */
async function table(decide: (ready: ReadyCase) => Expected | Promise<Expected>, of = cases) {
  return Promise.all(of.map(async (ready) => [ready.name, ready.target, await decide(ready)]));
}
const expected = (of = cases) => of.map(({ name, target, expect }) => [name, target, expect]);

describe('the table of cases', () => {
  it('holds hundreds, each by a name of its own', () => {
    expect(cases.length).toBeGreaterThan(500);
    expect(new Set(cases.map(({ name, target, method }) => `${name} ${target} ${method}`)).size).toBe(cases.length);
  });

  it('comes out in Node, at once', async () => {
    expect(await table((ready) => said(runNow(decideSteps(callOf(ready)), stands)))).toEqual(expected());
  });

  it('comes out with WebCrypto, later', async () => {
    expect(await table(async (ready) => said(await runLater(decideSteps(callOf(ready)), standsLater)))).toEqual(
      expected(),
    );
  });

  it('comes out with a memory, in any order and again', async () => {
    const memo = createPassMemo({ passesMax: 50 });
    const decide = (ready: ReadyCase) => said(runNow(decideSteps({ ...callOf(ready), memo }), stands));
    expect(await table(decide)).toEqual(expected());
    const reversed = [...cases].reverse();
    expect(await table(decide, reversed)).toEqual(expected(reversed));
  });

  it('comes out as answers to a Request', async () => {
    // What a URL has resolved before anybody sees it cannot be sent this way.
    const sendable = cases.filter(
      ({ method, target }) =>
        new URL(`https://urr.test${target}`).href === `https://urr.test${target}` && method !== '',
    );
    expect(sendable.length).toBeGreaterThan(500);
    const ask = async ({ method, target, headers, rooms }: ReadyCase): Promise<Expected> => {
      const request = new Request(`https://urr.test${target}`, { method, headers });
      const site = { rooms: roomsOf(rooms), stands: standsLater, nowMs: caseNowMs, files: caseFiles };
      const decision = await decideRequest(request, site);
      const answer = answerOf(decision, request);
      if (answer === null) return said(decision);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      if (answer.status === 302) return { sentTo: answer.headers.get('location') ?? '' };
      if (method === 'HEAD') return said(decision);
      const { code, status, redirectTo } = (await answer.json()) as {
        code: never;
        status: number;
        redirectTo?: string;
      };
      expect(status).toBe(answer.status);
      expect(status).toBe(code === 'MALFORMED_PATH' ? 400 : 403);
      return { refused: code, ...(redirectTo !== undefined && { redirectTo }) };
    };
    expect(await table(ask, sendable)).toEqual(expected(sendable));
  });
});

describe('a path', () => {
  it('that is plain at a glance is never malformed, and nobody else calls it so', () => {
    const piece = fc.constantFrom(
      '/',
      '/',
      'a',
      'Z',
      '9',
      '-',
      '_',
      '~',
      '.',
      '%',
      '2f',
      '\\',
      ';',
      ' ',
      'é',
      '%41',
      '%20',
    );
    const path = fc.array(piece, { maxLength: 12 }).map((pieces) => `/${pieces.join('')}`);
    fc.assert(
      fc.property(path, fc.constantFrom('', '?', '?x=%2f..'), (text, query) => {
        if (isPlain(text + query)) {
          expect(isMalformed(text)).toBe(false);
          expect(text).not.toMatch(/[^\w~./-]|\/\/|\/\.{1,2}(?:\/|$)/);
        }
        if (!isMalformed(text)) expect(decodeURIComponent(text).split('/')).toHaveLength(text.split('/').length);
      }),
    );
  });
});

describe('the memory of passes', () => {
  const memoOf = (passesMax: number) => createPassMemo({ passesMax });
  const pass = (n: number) => ({ by: 'vwr', roomId: eventA, id: `3.${n}`, untilMs: caseNowMs }) as const;

  it.each(['vwr', 'entry', 'ticket'] as const)(
    'forgets no end: a remembered %s is good until it is over',
    async (kind) => {
      const memo = memoOf(50);
      const name = { vwr: 'urr-vwr-token-', entry: 'urr-entry-token-', ticket: 'urr-queue-ticket-' }[kind];
      const lifeMs = kind === 'ticket' ? 86_400_000 : 600_000;
      const headers = { cookie: `${name}${eventA}=${await mint({ kind, event: eventA })}` };
      const at = { method: 'GET', path: `/events/${eventA}`, headers, rooms: roomsOf([eventA]), memo };
      const statusAt = (ms: number) => runNow(decideSteps({ ...at, nowMs: caseNowMs + ms }), stands).status;
      expect(statusAt(0)).toBe('pass');
      // The MAC is not asked for again, so this is the memory's answer.
      expect(runNow(decideSteps({ ...at, nowMs: caseNowMs }), () => false).status).toBe('pass');
      expect(statusAt(lifeMs)).toBe('wait');
      expect(runNow(decideSteps({ ...at, rooms: roomsOf([eventA, '*']), nowMs: caseNowMs }), stands).status).toBe(
        'wait',
      );
    },
  );

  it('has a limit, and keeps what is still asked for', () => {
    const memo = memoOf(20);
    memo.set('asked for', pass(0));
    for (let n = 1; n <= 1_000; n++) {
      memo.set(`other ${n}`, pass(n));
      expect(memo.get('asked for')).toEqual(pass(0));
    }
    const kept = Array.from({ length: 1_000 }, (_, n) => memo.get(`other ${n + 1}`)).filter((one) => one !== undefined);
    expect(kept.length).toBeLessThan(20);
  });
});

describe('what a stranger may send', () => {
  it('comes back as an address only if every browser reads it alike', () => {
    for (const query of ['?x=\ud800', '?x=é', '?x=\r\nset-cookie: a', '?x= y']) {
      const call = { method: 'GET', path: `/events/${eventA}`, query, headers: {}, nowMs: caseNowMs };
      const decision = runNow(decideSteps({ ...call, rooms: roomsOf([eventA]) }), stands);
      expect([query, decision]).toMatchObject([query, { status: 'wait', location: `/vwr/${eventA}` }]);
    }
  });

  it('is not parsed at any length', async () => {
    const long = await mint({ kind: 'vwr', event: eventA, head: { kid: 'x'.repeat(5_000) } });
    const headers = { cookie: `urr-vwr-token-${eventA}=${long}` };
    const call = { method: 'GET', path: `/events/${eventA}`, headers, nowMs: caseNowMs };
    expect(runNow(decideSteps({ ...call, rooms: roomsOf([eventA]) }), stands).status).toBe('wait');
  });
});

describe('an event that the route names', () => {
  const call = { method: 'GET', headers: {}, nowMs: caseNowMs, rooms: roomsOf([eventA]) };
  const statusOf = (path: string, eventId: string | null) =>
    runNow(decideSteps({ ...call, path, eventId }), stands).status;

  it('counts instead of what stands in the path, also where staff go', () => {
    expect(statusOf('/api/tickets/x', eventA.toUpperCase())).toBe('wait');
    expect(statusOf(`/api/tickets/event/${eventA}`, eventOff)).toBe('pass');
    expect(statusOf(`/api/check-in/events/${eventA}`, null)).toBe('pass');
    expect(statusOf(`/api/check-in/events/${eventA}`, eventA)).toBe('wait');
  });
});

describe('a caller who is not signed in', () => {
  const rooms = roomsOf([eventA, '*']);
  const find = async (tokens: readonly TokenSpec[]) => {
    const texts = await Promise.all(tokens.map(mint));
    const cookie = texts.map((text, n) => `urr-vwr-token-${tokens[n]?.event}=${text}`).join('; ');
    return runNow(findAnyPass({ headers: { cookie }, nowMs: caseNowMs }, rooms), stands)?.id ?? null;
  };

  it('counts by the first good pass to a room that is on', async () => {
    const good: TokenSpec = { kind: 'vwr', event: eventA, claims: { jti: '3.8' } };
    expect(await find([good])).toBe('3.8');
    expect(await find([{ kind: 'vwr', event: '*', claims: { jti: '0.2' } }, good])).toBe('0.2');
    expect(await find([{ ...good, by: 'stranger' }, { kind: 'vwr', event: eventOff }, good])).toBe('3.8');
  });

  it('counts by no pass that is bad, over, or to a room that is off', async () => {
    expect(await find([])).toBeNull();
    expect(await find([{ kind: 'vwr', event: eventA, by: 'stranger' }])).toBeNull();
    expect(await find([{ kind: 'vwr', event: eventA, inMs: 0 }])).toBeNull();
    expect(await find([{ kind: 'vwr', event: eventOff }])).toBeNull();
  });
});

describe('names', () => {
  it('are those of the program', () => {
    expect(Object.values(edgeCookies)).toEqual([
      cookieNames.vwrToken,
      cookiePrefixes.vwrToken,
      cookiePrefixes.entryToken,
      cookiePrefixes.waitingTicket,
    ]);
    const { contentType, entryToken, waitingTicket } = callerHeaders;
    expect(edgeHeaders).toEqual({ contentType, entryToken, waitingTicket });
  });
});
