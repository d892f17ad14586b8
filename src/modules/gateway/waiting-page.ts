import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { safetyHeaders } from '#platform/http/answer-policy.ts';

/** Of the page in the folder of the build. Not sent by its file name: a visitor's address names the event. */
export const waitingPageFile = 'vwr/index.html';

/** The same for everybody, so that a cache in front may keep it; short, so that a new version is there within minutes. */
const cacheControl = 'public, max-age=60, stale-while-revalidate=600, stale-if-error=86400';
const addresses = '/vwr/:eventId(^(?:[0-9a-fA-F-]{36}|\\*)$)';

/**
 * `/vwr/{eventId}`: the page of a waiting room, one file for all of them. It is never behind the edge decision, which leads here.
 * Its policy is written in the page by the build, with the hashes of its script and style; a header can say one thing more.
 */
export function serveWaitingPage(pages: FastifyInstance, folder: string): void {
  const file = join(folder, waitingPageFile);
  if (!existsSync(file)) return;
  const policy = `${policyIn(readFileSync(file, 'utf8'))}; frame-ancestors 'none'`;
  pages.get(addresses, { config: { policy } }, (_request, reply) => {
    reply.header('cache-control', cacheControl).header(safetyHeaders.policy, policy);
    return reply.sendFile(waitingPageFile);
  });
}

function policyIn(html: string): string {
  const [, policy] = /<meta http-equiv="content-security-policy" content="([^"]+)">/.exec(html) ?? [];
  if (policy === undefined) throw new Error('the waiting page says no policy');
  return policy;
}
