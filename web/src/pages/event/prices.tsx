import { Card } from '../../design/card.tsx';
import type { EventDetail } from '../../events/event-types.ts';
import { useI18n } from '../../i18n/i18n.tsx';

/** Prices of the seats by grade and of the standing areas, dearest first. */
export function Prices({ event }: { readonly event: EventDetail }) {
  const { t, format, pick } = useI18n();
  const rows = [
    ...event.prices.map(({ grade, priceKrw, seats }) => ({
      key: `grade ${grade}`,
      name: grade,
      size: t.event.seats(format.count(seats)),
      priceKrw,
    })),
    ...event.ticketTypes.map(({ id, name, nameEn, capacity, priceKrw }) => ({
      key: id,
      name: pick(name, nameEn),
      size: `${t.event.standing} · ${t.event.places(format.count(capacity))}`,
      priceKrw,
    })),
  ].sort((one, other) => other.priceKrw - one.priceKrw);
  if (rows.length === 0) return <p className="text-ink-soft">{t.event.noPrices}</p>;
  return (
    <Card>
      <ul className="divide-y divide-line">
        {rows.map((row) => (
          <li key={row.key} className="flex flex-wrap items-baseline justify-between gap-x-4 px-5 py-4">
            <span className="flex flex-wrap items-baseline gap-x-2">
              <span className="font-bold">{row.name}</span>
              <span className="whitespace-nowrap text-ink-soft text-meta">{row.size}</span>
            </span>
            <span className="whitespace-nowrap font-bold text-lead tabular-nums">
              {row.priceKrw === 0 ? t.common.free : format.krw(row.priceKrw)}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
