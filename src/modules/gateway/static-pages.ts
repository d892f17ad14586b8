import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { safetyHeaders } from '#platform/http/answer-policy.ts';

/** Of the build: the page of a waiting room, and the page that verifies its draw. Not sent by file name: an address names the event. */
const pageNames = ['vwr', 'fairness'] as const;
const fileOf = (name: string): string => `${name}/index.html`;
export const staticPageFiles: readonly string[] = pageNames.map(fileOf);

/** The same for everybody, so that a cache in front may keep it; short, so that a new version is there within minutes. */
const cacheControl = 'public, max-age=60, stale-while-revalidate=600, stale-if-error=86400';
const eventInPath = ':eventId(^(?:[0-9a-fA-F-]{36}|\\*)$)';

/**
 * `/vwr/{eventId}` and `/fairness/{eventId}`: one file each for all events. They are never behind the edge decision, which leads
 * to the first. Their policy is written in the page by the build, with the hashes of its script and style; a header can say one
 * thing more.
 */
export function serveStaticPages(pages: FastifyInstance, folder: string): void {
  for (const name of pageNames) {
    const file = join(folder, fileOf(name));
    if (!existsSync(file)) continue;
    const policy = `${policyIn(readFileSync(file, 'utf8'))}; frame-ancestors 'none'`;
    pages.get(`/${name}/${eventInPath}`, { config: { policy } }, (_request, reply) => {
      reply.header('cache-control', cacheControl).header(safetyHeaders.policy, policy);
      return reply.sendFile(fileOf(name));
    });
  }
}

function policyIn(html: string): string {
  const [, policy] = /<meta http-equiv="content-security-policy" content="([^"]+)">/.exec(html) ?? [];
  if (policy === undefined) throw new Error('a static page says no policy');
  return policy;
}
