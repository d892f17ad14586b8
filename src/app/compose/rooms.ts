import { existsSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { waitingRoomInternalCalls } from '#modules/waiting-room/contract.ts';
import { createRoomEdge, createRoomsMirror, type RoomEdge, type RoomsMirror } from '#modules/waiting-room/index.ts';
import { remoteUrl } from '../roles.ts';
import type { ModuleContext } from './context.ts';

/** What this process knows of the rooms that are on. Null: nobody here asks, or there is no tier 1 in this installation. */
export function composeRooms({ roles, config, client, shared }: ModuleContext): RoomsMirror | null {
  const isAsked = roles.includes('gateway') || roles.includes('queue');
  const isThere = roles.includes('waiting-room') || remoteUrl(config, 'waiting-room') !== null;
  if (!isAsked || !isThere) return null;
  const { activeRooms } = client('waiting-room', waitingRoomInternalCalls);
  return createRoomsMirror({ ...shared, activeRooms: () => activeRooms({}) });
}

/** The decision for the gateway of this process, and for a proxy in front of it. */
export function composeEdge(
  { config, shared: { clock } }: ModuleContext,
  { mirror, pagesFolder }: { mirror: RoomsMirror; pagesFolder: string },
): RoomEdge {
  const keys = { vwr: config.vwrTokenSecrets, entry: config.entryTokenSecrets, ticket: config.ticketSecrets };
  return createRoomEdge({ mirror, keys, clock, files: filesOf(pagesFolder) });
}

/** By the paths at which they are served. Documents are pages and not among them, and neither is what is sent in place of a file. */
function filesOf(folder: string): ReadonlySet<string> {
  if (!existsSync(folder)) return new Set();
  const found = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(?:html|br|gz)$/.test(entry.name))
    .map(({ parentPath, name }) => `/${relative(folder, join(parentPath, name)).split(sep).join('/')}`);
  return new Set(found);
}
