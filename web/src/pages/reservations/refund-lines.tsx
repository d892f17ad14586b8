import type { GetRefundQuoteResult } from '../../api/client.generated.ts';
import { useI18n } from '../../i18n/i18n.tsx';
import { usePurchaseWords } from '../../i18n/purchase/words.tsx';
import { ticketWords } from '../../reservations/place-names.ts';
import type { Ticket } from '../../reservations/reservation-types.ts';

export interface RefundLinesProps {
  readonly quote: GetRefundQuoteResult;
  readonly tickets: readonly Ticket[];
  /** Of what was chosen before; the new one is on its way. */
  readonly isOld: boolean;
}

/** What goes back, ticket by ticket, so that each sum can be followed; and until when that counts. */
export function RefundLines({ quote, tickets, isOld }: RefundLinesProps) {
  const i18n = useI18n();
  const { format } = i18n;
  const { refund: words } = usePurchaseWords();
  const names = new Map(tickets.map((ticket) => [ticket.id, ticketWords(ticket, i18n)]));
  // As they are listed above. A ticket that was chosen meanwhile is at the end.
  const places = [...names.keys()];
  const lines = quote.lines.toSorted((a, b) => places.indexOf(a.ticketId) - places.indexOf(b.ticketId));
  return (
    <section aria-label={words.title} aria-busy={isOld} className="mt-4 rounded-control bg-sunk p-4">
      <h3 className="font-bold">{words.title}</h3>
      <p className="mt-1 text-[0.9375rem]">{words.rules[quote.rule]}</p>
      <ul className="mt-2 divide-y divide-line-strong/40">
        {lines.map((line) => (
          <li key={line.ticketId} className="py-2">
            <p className="font-bold text-[0.9375rem]">{names.get(line.ticketId)}</p>
            <dl className="text-meta">
              <Amount name={words.price} amount={format.krw(line.priceKrw)} />
              {line.feeKrw > 0 && <Amount name={words.fee} amount={format.krw(line.feeKrw)} />}
              {line.cancellationFeeKrw > 0 && (
                <Amount name={words.cancellationFee} amount={`− ${format.krw(line.cancellationFeeKrw)}`} />
              )}
              {line.feeKeptKrw > 0 && <Amount name={words.feeKept} amount={`− ${format.krw(line.feeKeptKrw)}`} />}
              <Amount name={words.refund} amount={format.krw(line.refundKrw)} isSum />
            </dl>
          </li>
        ))}
      </ul>
      <p
        role="status"
        className="flex items-baseline justify-between gap-4 border-line-strong border-t pt-2 font-extrabold"
      >
        <span>{words.sum}</span> <span className="text-title tabular-nums">{format.krw(quote.refundKrw)}</span>
      </p>
      <p className="mt-1 text-meta">
        {quote.changesAt === null ? words.always : words.until(format.dateTime(Date.parse(quote.changesAt)))}
      </p>
    </section>
  );
}

interface AmountProps {
  readonly name: string;
  readonly amount: string;
  readonly isSum?: boolean;
}

function Amount({ name, amount, isSum = false }: AmountProps) {
  return (
    <div className={`flex items-baseline justify-between gap-4 py-0.5 ${isSum ? 'font-bold' : ''}`}>
      <dt>{name}</dt>
      <dd className="whitespace-nowrap tabular-nums">{amount}</dd>
    </div>
  );
}
