import { type IncomingHttpHeaders, type RequestOptions, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { vi } from 'vitest';

export interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface BothWays {
  /** Over a socket, as the world calls: the express lane is in front. */
  send(options: RequestOptions): Promise<Answer & { readonly express: boolean }>;
  /** The usual way, without the lane. */
  usually(options: RequestOptions): Promise<Answer>;
}

/** Sends the same request by the express lane of a server, where it takes it, and the usual way. */
export async function bothWays(app: FastifyInstance): Promise<BothWays> {
  const takes = vi.spyOn(app.express, 'takes');
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  return {
    send(options) {
      takes.mockClear();
      return new Promise((resolve, reject) => {
        const call = request({ port, ...options }, async (answer) => {
          const body = (await answer.toArray()).join('');
          const express = takes.mock.results.some(({ value }) => value === true);
          resolve({ status: answer.statusCode, headers: answer.headers, body, express });
        });
        call.once('error', reject);
        call.end();
      });
    },
    async usually({ method = 'GET', path = '/', headers = {} }) {
      const answer = await app.inject({
        method: method as 'GET',
        url: path ?? '/',
        headers: headers as Record<string, string>,
      });
      const { statusCode: status, body } = answer;
      return { status, headers: answer.headers as IncomingHttpHeaders, body };
    },
  };
}

/** Without what differs from one call to the next, or belongs to the connection. */
export function comparable({ status, headers, body }: Answer) {
  const known: IncomingHttpHeaders = { ...headers, 'set-cookie': [headers['set-cookie'] ?? []].flat() };
  for (const name of perCall) delete known[name];
  const names = Object.keys(headers).filter((name) => !ofConnection.includes(name));
  return { status, names: names.sort(), known, body: body.replace(/"(nextPoll|requestId)":("[^"]*"|[\d.]+)/g, '') };
}

const ofConnection = ['date', 'connection', 'keep-alive'];
const perCall = [...ofConnection, 'x-request-id', 'content-length', 'ratelimit-remaining', 'ratelimit-reset'];
