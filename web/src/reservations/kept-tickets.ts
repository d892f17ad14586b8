import { keep, keptTicketsKey, readKept } from '../app/kept.ts';
import type { Ticket } from './reservation-types.ts';

/** Tickets as they were last seen, with their codes: there is seldom a network at a door. Gone with the session. */
export interface KeptTickets {
  /** The name that is signed in; nobody else is shown these. */
  readonly name: string;
  readonly savedAtMs: number;
  readonly tickets: readonly Ticket[];
  readonly codes: Readonly<Record<string, string>>;
}

/** What is worth keeping: no more than one person carries. */
const ticketsMax = 60;

export function readTickets(name: string): KeptTickets | null {
  const kept = parseTickets(readKept(keptTicketsKey));
  return kept?.name === name ? kept : null;
}

export function keepTickets(name: string, tickets: readonly Ticket[], nowMs: number): void {
  const codes = readTickets(name)?.codes ?? {};
  const kept = tickets.slice(0, ticketsMax);
  write({
    name,
    savedAtMs: nowMs,
    tickets: kept,
    codes: Object.fromEntries(kept.flatMap(({ id }) => (codes[id] === undefined ? [] : [[id, codes[id]]]))),
  });
}

export function keepCode(name: string, ticketId: string, code: string): void {
  const kept = readTickets(name);
  if (kept !== null) write({ ...kept, codes: { ...kept.codes, [ticketId]: code } });
}

function write(kept: KeptTickets): void {
  keep(keptTicketsKey, JSON.stringify(kept));
}

export function parseTickets(text: string | null): KeptTickets | null {
  try {
    const value = JSON.parse(text ?? 'null') as Partial<KeptTickets> | null;
    if (value === null || typeof value.name !== 'string' || typeof value.savedAtMs !== 'number') return null;
    if (!Array.isArray(value.tickets) || typeof value.codes !== 'object' || value.codes === null) return null;
    return { name: value.name, savedAtMs: value.savedAtMs, tickets: value.tickets, codes: value.codes };
  } catch {
    return null;
  }
}
