import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Type } from 'typebox';
import { indexRooms, noRooms } from '#edge/rooms.ts';
import { aGateway } from '#modules/gateway/test/a-gateway.ts';
import { createRoomEdge } from '#modules/waiting-room/index.ts';
import { systemClock } from '#platform/clock.ts';
import { defineRoutes, PreparedJson } from '#platform/http/contract.ts';
import { registerRoutes } from '#platform/http/routes.ts';

/** `none`: the gateway has nobody to ask. */
export interface ServerWish {
  readonly room: 'none' | 'off' | 'on';
  readonly eventId: string;
  readonly secret: string;
}

const routes = defineRoutes({
  seats: {
    operation: 'seats',
    method: 'GET',
    path: '/api/tickets/event/:eventId',
    summary: 'A call about an event',
    access: 'public',
    rate: 'read',
    tier1: { eventParam: 'eventId' },
    params: Type.Object({ eventId: Type.String() }),
    responses: { 200: Type.Unknown() },
  },
});
const answer = new PreparedJson(JSON.stringify({ seats: Array.from({ length: 20 }, (_, n) => `A-1-${n}`) }));
const page = `<!doctype html><title>urr</title>${'<p>an application of some kilobytes</p>'.repeat(50)}`;

/** A child process: the whole gateway with every filter, in front of a page and a call that cost next to nothing. */
process.once('message', async ({ room, eventId, secret }: ServerWish) => {
  const pagesFolder = await mkdtemp(join(tmpdir(), 'urr-bench-pages-'));
  await writeFile(join(pagesFolder, 'index.html'), page);
  const rooms = room === 'on' ? indexRooms([{ eventId, mode: 'site', era: 1, failMode: 'closed' }]) : noRooms;
  const { edge } = createRoomEdge({
    mirror: { inForce: () => rooms, whenAsked: async () => undefined },
    keys: { vwr: [secret], entry: [secret], ticket: [secret] },
    clock: systemClock,
    files: new Set(),
  });
  const ample = { capacity: 1_000_000_000, refillMs: 60_000 };
  const { app } = await aGateway({
    clock: systemClock,
    pagesFolder,
    routes,
    // Every class alike.
    rateLimits: new Proxy({}, { get: () => ample }) as never,
    ...(room !== 'none' && { edge }),
  });
  registerRoutes(app, routes, { seats: () => answer });
  process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }));
});
process.once('disconnect', () => process.exit());
