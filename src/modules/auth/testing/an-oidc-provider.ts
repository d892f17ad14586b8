import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
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
  /** What the token and discovery endpoints do instead of answering properly. */
  fault: 'none' | 'error' | 'huge' | 'not-json' | 'redirect';
  /** A new signing key under a new id; the old one is no longer published. */
  rotateKey(): void;
  /** What the browser does: follows the authorization address and comes back with code and state. */
  authorize(location: string): URL;
  readonly requests: string[];
}

interface Grant {
  readonly challenge: string;
  readonly redirectUri: string;
  readonly nonce: string;
}

export async function anOidcProvider(): Promise<TestOidcProvider> {
  const grants = new Map<string, Grant>();
  let signing = newKey();
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
    requests: [],
    rotateKey() {
      signing = newKey();
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
      }).toString();
      return back;
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (provider.fault === 'error') return void response.writeHead(503).end('{"error":"down"}');
    if (provider.fault === 'huge') return void response.end(`"${'x'.repeat(1_000_000)}"`);
    if (provider.fault === 'not-json') return void response.end('<html>');
    if (provider.fault === 'redirect') return void response.writeHead(302, { location: `${issuer}/keys` }).end();
    response.setHeader('content-type', 'application/json');
    switch (request.url) {
      case '/.well-known/openid-configuration':
        return void response.end(
          JSON.stringify({
            issuer,
            authorization_endpoint: `${issuer}/authorize?tenant=1`,
            token_endpoint: `${issuer}/token`,
            jwks_uri: `${issuer}/keys`,
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
    const credentials = `${encodeForm(provider.clientId)}:${encodeForm(provider.clientSecret)}`;
    const known = request.headers.authorization === `Basic ${Buffer.from(credentials).toString('base64')}`;
    if (!known || !grant || grant.challenge !== challenge || grant.redirectUri !== form.get('redirect_uri')) {
      return void response.writeHead(400).end('{"error":"invalid_grant"}');
    }
    response.end(JSON.stringify({ token_type: 'Bearer', access_token: 'unused', id_token: idToken(grant) }));
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
    const header = { alg: 'RS256', kid: signing.jwk.kid, ...provider.bend.header };
    const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    const signature =
      header.alg === 'none'
        ? ''
        : createSign('sha256')
            .update(signed)
            .sign(provider.bend.key ?? signing.privateKey, 'base64url');
    const token = `${signed}.${signature}`;
    return provider.bend.mangle?.(token) ?? token;
  }
  return provider;
}

export function newKey() {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: randomBytes(4).toString('hex'), use: 'sig', alg: 'RS256' };
  return { privateKey, jwk };
}

function encodeForm(text: string): string {
  return encodeURIComponent(text).replaceAll('%20', '+');
}
