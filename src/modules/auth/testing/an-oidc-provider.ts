import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { atEnd } from '#test/kit/at-end.ts';

/** A small but real OpenID provider on a free port: discovery, keys, PKCE, one-time codes, signed ID tokens. */
export interface TestOidcProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Who signs in next. */
  person: Record<string, unknown>;
  /** Bends the next ID tokens: claims changed after the fact, another header, another key. */
  bend: {
    claims?: Record<string, unknown>;
    header?: Record<string, unknown>;
    key?: KeyObject;
    mangle?: (token: string) => string;
  };
  /** What its endpoints do instead of answering properly: all of them, or those at `faultPath`. */
  fault: 'none' | 'error' | 'huge' | 'not-json' | 'redirect' | 'slow' | 'silent' | 'dripping';
  faultPath: string | null;
  /** A new signing key under a new id; the old one is no longer published. */
  rotateKey(): void;
  /** What the browser does: follows the authorization address and comes back with code and state. */
  authorize(location: string): URL;
  readonly requests: string[];
  /** Why its token endpoint refused. */
  readonly refusals: string[];
}

interface ProviderOptions {
  /** Said in its discovery document beside the necessary, or instead of it. */
  readonly metadata?: Record<string, unknown>;
  readonly signsWith?: 'RS256' | 'ES256';
}

/** What each answer takes under the fault `slow`. */
export const slowMs = 300;

interface Grant {
  readonly challenge: string;
  readonly redirectUri: string;
  readonly nonce: string;
}

export async function anOidcProvider(options: ProviderOptions = {}): Promise<TestOidcProvider> {
  const { metadata = {}, signsWith = 'RS256' } = options;
  const grants = new Map<string, Grant>();
  let signing = newKey(signsWith);
  const server = createServer((request, response) => {
    provider.requests.push(request.url ?? '');
    answer(request, response).catch((error: Error) =>
      response.writeHead(500).end(JSON.stringify({ error: error.message })),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => new Promise<void>((resolve) => void server.close(() => resolve()).closeAllConnections()));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const provider: TestOidcProvider = {
    issuer,
    clientId: 'urr-client',
    clientSecret: 's3cret/with+specials',
    person: {},
    bend: {},
    fault: 'none',
    faultPath: null,
    requests: [],
    refusals: [],
    rotateKey() {
      signing = newKey(signsWith);
    },
    authorize(location) {
      const asked = new URL(location).searchParams;
      const code = randomBytes(16).toString('hex');
      grants.set(code, {
        challenge: asked.get('code_challenge') ?? '',
        redirectUri: asked.get('redirect_uri') ?? '',
        nonce: asked.get('nonce') ?? '',
      });
      const back = new URL(asked.get('redirect_uri') ?? '');
      back.search = new URLSearchParams({
        code,
        state: asked.get('state') ?? '',
        scope: 'openid',
        authuser: '0',
        ...(metadata.authorization_response_iss_parameter_supported === true && { iss: issuer }),
      }).toString();
      return back;
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (provider.faultPath === null || provider.faultPath === request.url) {
      if (provider.fault === 'slow') await setTimeout(slowMs);
      else if (provider.fault !== 'none') return misbehave(response, provider.fault, issuer);
    }
    response.setHeader('content-type', 'application/json');
    switch (request.url) {
      case '/.well-known/openid-configuration':
        return void response.end(
          JSON.stringify({
            issuer,
            authorization_endpoint: `${issuer}/authorize?tenant=1`,
            token_endpoint: `${issuer}/token`,
            jwks_uri: `${issuer}/keys`,
            ...metadata,
          }),
        );
      case '/keys':
        return void response.end(JSON.stringify({ keys: [signing.jwk, { kty: 'oct', k: 'AAAA' }] }));
      case '/token':
        return exchange(request, response);
    }
    response.writeHead(404).end('{}');
  }

  async function exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    const code = form.get('code') ?? '';
    const grant = grants.get(code);
    grants.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const refusal =
      (!isOurClient(request, form) && 'client') ||
      (!grant && 'code') ||
      (grant?.challenge !== challenge && 'verifier') ||
      (grant?.redirectUri !== form.get('redirect_uri') && 'redirect');
    if (refusal || !grant) {
      provider.refusals.push(String(refusal));
      return void response.writeHead(400).end('{"error":"invalid_grant"}');
    }
    response.end(JSON.stringify({ token_type: 'Bearer', access_token: 'unused', id_token: idToken(grant) }));
  }

  /** By whichever of the two ways it said that it takes; without a word, by the one that is the default. */
  function isOurClient({ headers }: IncomingMessage, form: URLSearchParams): boolean {
    const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const isInBody = form.has('client_secret');
    const given = isInBody
      ? [form.get('client_id'), form.get('client_secret')]
      : Buffer.from(headers.authorization?.replace('Basic ', '') ?? '', 'base64')
          .toString()
          .split(':')
          .map((half) => new URLSearchParams(`v=${half}`).get('v'));
    const isTaken = (methods as string[]).includes(isInBody ? 'client_secret_post' : 'client_secret_basic');
    return isTaken && given[0] === provider.clientId && given[1] === provider.clientSecret;
  }

  function idToken(grant: Grant): string {
    const seconds = Math.floor(Date.UTC(2030, 0, 1) / 1000);
    const claims = {
      iss: issuer,
      aud: provider.clientId,
      nonce: grant.nonce,
      iat: seconds,
      exp: seconds + 10 * 365 * 86_400,
      ...provider.person,
      ...provider.bend.claims,
    };
    const header: Record<string, unknown> = { alg: signsWith, kid: signing.jwk.kid, ...provider.bend.header };
    const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    const key = { key: provider.bend.key ?? signing.privateKey, dsaEncoding: 'ieee-p1363' } as const;
    const signature = header.alg === 'none' ? '' : sign('sha256', Buffer.from(signed), key).toString('base64url');
    const token = `${signed}.${signature}`;
    return provider.bend.mangle?.(token) ?? token;
  }
  return provider;
}

function misbehave(
  response: ServerResponse,
  fault: Exclude<TestOidcProvider['fault'], 'none' | 'slow'>,
  issuer: string,
): void {
  switch (fault) {
    case 'error':
      return void response.writeHead(503).end('{"error":"down"}');
    case 'huge':
      return void response.end(`"${'x'.repeat(1_000_000)}"`);
    case 'not-json':
      return void response.end('<html>');
    case 'redirect':
      return void response.writeHead(302, { location: `${issuer}/keys` }).end();
    case 'silent':
      return;
    case 'dripping': {
      response.writeHead(200, { 'content-type': 'application/json' });
      const drops = setInterval(() => response.write(' '), 10);
      return void response.on('close', () => clearInterval(drops));
    }
  }
}

export function newKey(algorithm: 'RS256' | 'ES256' = 'RS256') {
  const { privateKey, publicKey } =
    algorithm === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const kid = randomBytes(4).toString('hex');
  return { privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: algorithm } };
}
