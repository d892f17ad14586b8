import { createHash } from 'node:crypto';

/** What the seats and standing places of an event are made from. */
export interface Offer {
  readonly layoutId: string;
  readonly prices: readonly { readonly grade: string; readonly priceKrw: number }[];
  readonly ticketTypes: readonly {
    readonly id: string;
    readonly areaId: string;
    readonly name: string;
    readonly nameEn: string | null;
    readonly capacity: number;
    readonly priceKrw: number;
  }[];
}

/** Equal for equal offers, whatever else is said of the event: a changed title stops nothing. */
export function fingerprintOf({ layoutId, prices, ticketTypes }: Offer): string {
  const said = [
    layoutId,
    prices.map(({ grade, priceKrw }) => [grade, priceKrw]),
    ticketTypes.map(({ id, areaId, name, nameEn, capacity, priceKrw }) => [
      id,
      areaId,
      name,
      nameEn,
      capacity,
      priceKrw,
    ]),
  ];
  return createHash('sha256').update(JSON.stringify(said)).digest('base64url');
}

/** When anybody may buy first: the general opening, or that of the earliest phase. */
export function firstOpeningMs(event: { saleOpensAt: string; phases: readonly { opensAt: string }[] }): number {
  return Math.min(Date.parse(event.saleOpensAt), ...event.phases.map(({ opensAt }) => Date.parse(opensAt)));
}
