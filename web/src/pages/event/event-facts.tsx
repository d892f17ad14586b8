import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { EventDetail, EventStatus } from '../../events/event-types.ts';
import type { SaleState } from '../../events/sale-state.ts';
import { StatusBadge } from '../../events/status-badge.tsx';
import { useI18n } from '../../i18n/i18n.tsx';
import { SeoulTime } from '../../i18n/seoul-time.tsx';

export interface EventFactsProps {
  readonly event: EventDetail;
  readonly sale: SaleState;
  readonly title: string;
}

/** What, who, when and where. */
export function EventFacts({ event, sale, title }: EventFactsProps) {
  const { t, format, pick } = useI18n();
  return (
    <>
      <StatusBadge status={statuses[sale.kind]} />
      <h1 className="mt-3 font-black text-display">{title}</h1>
      <p className="mt-3 text-lead">
        <Link
          to="/artists/$artistId"
          params={{ artistId: event.artist.id }}
          className="inline-flex min-h-8 items-center font-bold underline decoration-2 decoration-line-strong underline-offset-4 hover:decoration-seal"
        >
          {pick(event.artist.name, event.artist.nameEn)}
        </Link>
      </p>
      <dl className="mt-5 grid gap-x-8 gap-y-4 border-line border-y py-5 sm:grid-cols-2">
        <Fact name={t.event.when}>
          <SeoulTime at={event.startsAt} />
          {event.doorsAt !== null && (
            <span className="block font-normal text-ink-soft text-meta">
              {t.event.doors} {format.time(Date.parse(event.doorsAt))}
            </span>
          )}
        </Fact>
        <Fact name={t.event.where}>{pick(event.venue.name, event.venue.nameEn)}</Fact>
      </dl>
    </>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt className="text-ink-soft text-meta">{name}</dt>
      <dd className="mt-1 font-bold">{children}</dd>
    </div>
  );
}

const statuses: Readonly<Record<SaleState['kind'], EventStatus>> = {
  opens: 'announced',
  open: 'on_sale',
  sold_out: 'sold_out',
  ended: 'ended',
  cancelled: 'cancelled',
};
