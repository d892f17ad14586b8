import { aDatabase } from '#test/kit/engines/database.ts';
import { startTestApp, type TestApp } from './app.ts';
import { aLayout, anArtist, anEvent, aVenue } from './builders/catalog.ts';
import { createSendRaw, type RawAnswer, type SendRaw } from './raw-http.ts';

/** urr as an attacker finds it: users with tokens, somebody's show, and callers that send whatever they are told to. */
export interface Stage {
  readonly url: string;
  /** To the gateway. */
  readonly send: SendRaw;
  /** To the port of the role itself, past the gateway; the same door when all roles are in one process. */
  readonly sendToCatalog: SendRaw;
  readonly sendToAuth: SendRaw;
  readonly users: Readonly<Record<StagePerson, StageUser>>;
  /** A draft and a published event of `seller`. */
  readonly draftId: string;
  readonly eventId: string;
  readonly apps: readonly TestApp[];
}

export type StagePerson = 'buyer' | 'seller' | 'otherSeller' | 'operator' | 'admin';
export interface StageUser {
  readonly id: string;
  readonly email: string;
  readonly role: 'buyer' | 'seller' | 'operator' | 'admin';
  readonly accessToken: string;
  readonly refreshToken: string;
}

export const stagePassword = 'stage-password';
const people: readonly StagePerson[] = ['buyer', 'seller', 'otherSeller', 'operator', 'admin'];

/** `together`: every role in one process. `apart`: gateway, auth and catalog on ports of their own. */
export async function aStage(kind: 'together' | 'apart', env: Readonly<Record<string, string>> = {}): Promise<Stage> {
  const { gateway, auth, catalog } = await startRoles(kind, env);
  const service = auth.urr.modules.auth?.service;
  const { database } = auth.urr.engines;
  if (service === undefined || database === null) throw new Error('there is no auth in this process');
  const made = await service.ensureUsers(
    people.map((person) => ({
      email: `${person.toLowerCase()}@stage.test`,
      password: stagePassword,
      name: person,
      role: person === 'otherSeller' ? 'seller' : person,
    })),
  );
  const users = Object.fromEntries(
    await Promise.all(
      made.map(async (user, n) => {
        const { accessToken, refreshToken } = await service.sessions.open(database, user);
        return [people[n], { ...user, accessToken, refreshToken }] as const;
      }),
    ),
  ) as Record<StagePerson, StageUser>;
  const send = createSendRaw(gateway.url);
  return {
    url: gateway.url,
    send,
    sendToCatalog: createSendRaw(catalog.url),
    sendToAuth: createSendRaw(auth.url),
    users,
    ...(await aShow(send, users.seller.accessToken)),
    apps: [...new Set([gateway, auth, catalog])],
  };
}

async function startRoles(kind: 'together' | 'apart', env: Readonly<Record<string, string>>) {
  if (kind === 'together') {
    const app = await startTestApp({ env });
    return { gateway: app, auth: app, catalog: app };
  }
  const shared = { ...env, URR_DATABASE_URL: (await aDatabase()).url };
  const auth = await startTestApp({ roles: ['auth'], env: shared });
  const catalog = await startTestApp({ roles: ['catalog'], env: { ...shared, URR_AUTH_URL: auth.url } });
  const urls = { URR_AUTH_URL: auth.url, URR_CATALOG_URL: catalog.url };
  const gateway = await startTestApp({ roles: ['gateway'], env: { ...shared, ...urls } });
  return { gateway, auth, catalog };
}

async function aShow(send: SendRaw, token: string): Promise<{ draftId: string; eventId: string }> {
  const make = async (path: string, body?: unknown) => {
    const answer = await send(jsonCall({ method: 'POST', path: `/api/seller/${path}`, token, body }));
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
    return (JSON.parse(answer.text) as { id: string }).id;
  };
  const artistId = await make('artists', anArtist());
  const venueId = await make('venues', aVenue());
  const layoutId = await make('layouts', aLayout(venueId));
  const body = anEvent({ artistId, venueId, layoutId }, Date.now());
  const draftId = await make('events', body);
  const eventId = await make('events', body);
  await make(`events/${eventId}/publish`);
  return { draftId, eventId };
}

/** An ordinary call, to be made less ordinary by its sender. */
export function jsonCall(options: {
  path: string;
  method?: string;
  token?: string;
  body?: unknown;
  headers?: Record<string, string | string[]>;
}) {
  const { path, method = options.body === undefined ? 'GET' : 'POST', token, body, headers = {} } = options;
  return {
    method,
    path,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  };
}

/** Status and code, after a look at whether the refusal is a proper one. */
export function refusalOf(answer: RawAnswer): string {
  if (answer.status < 400) return String(answer.status);
  const type = answer.headers['content-type'];
  if (type !== 'application/problem+json; charset=utf-8') return `${answer.status} as ${type}: ${answer.text}`;
  const { status, code, title } = JSON.parse(answer.text) as Record<string, unknown>;
  if (status !== answer.status || typeof title !== 'string') return `${answer.status} with ${answer.text}`;
  return `${answer.status} ${code}`;
}
