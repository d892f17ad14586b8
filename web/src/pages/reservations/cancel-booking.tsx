import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { isProblem } from '../../api/problem.ts';
import { api } from '../../app/api.ts';
import { problemText } from '../../app/problem-text.ts';
import { QueryView } from '../../app/query-view.tsx';
import { Button } from '../../design/button.tsx';
import { Checkbox } from '../../design/checkbox.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { Notice } from '../../design/notice.tsx';
import { Skeleton } from '../../design/skeleton.tsx';
import { useI18n } from '../../i18n/i18n.tsx';
import { usePurchaseWords } from '../../i18n/purchase/words.tsx';
import { ticketWords } from '../../reservations/place-names.ts';
import { refundQuote, ticketsOf } from '../../reservations/reservation-queries.ts';
import type { Reservation, Ticket } from '../../reservations/reservation-types.ts';
import { RefundLines } from './refund-lines.tsx';

export interface CancelBookingProps {
  readonly reservation: Reservation;
  readonly close: () => void;
  readonly done: () => void;
}

/** All tickets of a booking, or some. Asked before it is done; staying has the focus. */
export function CancelBookingDialog({ reservation, close, done }: CancelBookingProps) {
  const { t, format } = useI18n();
  const w = usePurchaseWords();
  const dialog = useRef<HTMLDialogElement>(null);
  const queries = useQueryClient();
  const tickets = useQuery({ ...ticketsOf(reservation.id), staleTime: 0 });
  // Kept by what stays: a ticket that arrives late is cancelled with the rest, as it was meant.
  const [staying, setStaying] = useState<ReadonlySet<string>>(new Set());
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const live = tickets.data?.filter(({ state }) => state === 'issued') ?? [];
  const going = live.filter(({ id }) => !staying.has(id));
  const isUnpaid = reservation.status === 'paying' || reservation.status === 'waiting_for_deposit';
  const isPaid = !isUnpaid && reservation.totalKrw > 0;
  const hasNothing = !isUnpaid && tickets.data !== undefined && live.length === 0;
  const quote = useQuery({
    ...refundQuote(
      reservation.id,
      going.map(({ id }) => id),
    ),
    enabled: isPaid && going.length > 0,
  });
  // Nobody cancels for an amount that was not shown.
  const canCancel =
    isUnpaid || (going.length > 0 && (!isPaid || (quote.data !== undefined && !quote.isPlaceholderData)));

  const cancel = async () => {
    setBusy(true);
    setFailure(null);
    try {
      const ticketIds = going.map(({ id }) => id);
      const isWhole = isUnpaid || ticketIds.length === tickets.data?.filter(({ state }) => state !== 'void').length;
      const shown = isPaid && quote.data !== undefined ? { refundKrw: quote.data.refundKrw } : {};
      const body = { ...(isWhole ? {} : { ticketIds }), ...shown };
      await api.cancelReservation({ params: { reservationId: reservation.id }, body });
      void queries.invalidateQueries({ queryKey: ['tickets'] });
      done();
      // Not by `close`: the browser gives the focus back to where it was.
      dialog.current?.close();
    } catch (error) {
      setFailure(error);
      setBusy(false);
      void tickets.refetch();
      if (isPaid) void quote.refetch();
    }
  };
  return (
    <Dialog
      title={w.bookings.cancelTitle}
      text={isUnpaid ? w.bookings.cancelUnpaidText : w.bookings.cancelText}
      close={close}
      handle={dialog}
    >
      {!isUnpaid && (
        <QueryView query={tickets} skeleton={<Skeleton className="mt-4 h-24 w-full" />}>
          {(items) => (
            <fieldset className="mt-4">
              <legend className="font-bold text-meta">{w.bookings.choose}</legend>
              {items.map((ticket) => (
                <TicketChoice
                  key={ticket.id}
                  ticket={ticket}
                  isGoing={ticket.state === 'issued' && !staying.has(ticket.id)}
                  onChange={(isGoing) => {
                    const next = new Set(staying);
                    if (isGoing) next.delete(ticket.id);
                    else next.add(ticket.id);
                    setStaying(next);
                  }}
                />
              ))}
            </fieldset>
          )}
        </QueryView>
      )}
      {isPaid && going.length > 0 && (
        <QueryView query={quote} skeleton={<Skeleton className="mt-4 h-44 w-full" />}>
          {(found) => <RefundLines quote={found} tickets={going} isOld={quote.isPlaceholderData} />}
        </QueryView>
      )}
      {failure !== null && (
        <div className="mt-4">
          <Notice tone="problem">
            {isProblem(failure, 'REFUND_CHANGED') ? w.refund.changed : problemText(failure, t).text}
          </Notice>
        </div>
      )}
      {hasNothing && <p className="mt-4 font-bold">{w.bookings.nothingToCancel}</p>}
      <div className={`mt-6 grid gap-3 ${hasNothing ? '' : 'sm:grid-cols-2'}`}>
        <Button wide onClick={() => dialog.current?.close()}>
          {w.bookings.keepBooking}
        </Button>
        {!hasNothing && (
          <Button wide look="danger" busy={busy} aria-disabled={!canCancel || undefined} onClick={() => void cancel()}>
            {isUnpaid ? w.bookings.cancel : w.bookings.cancelCount(format.count(going.length))}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

interface TicketChoiceProps {
  readonly ticket: Ticket;
  readonly isGoing: boolean;
  readonly onChange: (isGoing: boolean) => void;
}

function TicketChoice({ ticket, isGoing, onChange }: TicketChoiceProps) {
  const i18n = useI18n();
  const w = usePurchaseWords();
  const { state } = ticket;
  return (
    <Checkbox checked={isGoing} disabled={state !== 'issued'} onChange={onChange}>
      {ticketWords(ticket, i18n)}
      {state !== 'issued' && <span className="ml-2 text-meta">{w.bookings.reasons[state]}</span>}
    </Checkbox>
  );
}
