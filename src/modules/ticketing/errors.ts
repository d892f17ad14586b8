import { defineErrors } from '#platform/errors.ts';

export const ticketingErrors = defineErrors({
  SEAT_TAKEN: {
    status: 409,
    title: 'Somebody was faster',
    help: 'At least one of the seats is held or sold; `taken` names each. Nothing was held. Choose others: the map shows what is free.',
  },
  SEATS_BUSY: {
    status: 409,
    title: 'Somebody is at these seats right now',
    help: 'Another request has one of the seats or places in hand and its outcome is not known yet. Nothing was held. Try again after Retry-After, or choose others.',
    retryAfterSeconds: 1,
  },
  NOT_ENOUGH_LEFT: {
    status: 409,
    title: 'Not that many are left',
    help: '`left` says how many of each ticket type are left at this moment. Nothing was held. Ask for fewer, or for another area.',
  },
  NOTHING_FITS: {
    status: 409,
    title: 'No seats fit these wishes',
    help: 'Nothing free fits; `wouldFit` names wishes that could be met now, e.g. not together, or another grade. Nothing was held.',
  },
  PURCHASE_LIMIT: {
    status: 409,
    title: 'More than one person may buy for this event',
    help: '`limit` is what one person may have, `have` what you hold or have bought already. Ask for fewer, or give up a reservation first.',
  },
  SALE_NOT_OPEN: {
    status: 409,
    title: 'The sale has not opened yet',
    help: '`opensAt` says when it does.',
  },
  SALE_OVER: {
    status: 409,
    title: 'The sale is over',
    help: 'It has closed, or the event is cancelled. What is held already can still be paid for until its time ends, unless the event is cancelled.',
  },
  TIER_NOT_OPEN: {
    status: 409,
    title: 'The sale has not opened for your tier yet',
    help: '`opensAt` says when it does; null: this sale is for members only.',
  },
  SEATS_NOT_READY: {
    status: 503,
    title: 'The seats of this event are being prepared',
    help: 'The layout or the prices are new and the seats have not been made from them yet. Try again after Retry-After.',
    retryAfterSeconds: 2,
  },
  HOLDS_BUSY: {
    status: 503,
    title: 'Too many requests for this event at once',
    help: 'The request waited too long for its turn and was not sent. Nothing was held. Try again after Retry-After.',
    retryAfterSeconds: 1,
  },
  RESERVATION_EXPIRED: {
    status: 409,
    title: 'The time of this reservation is over',
    help: 'The seats are free again. Choose anew.',
  },
  RESERVATION_CLOSED: {
    status: 409,
    title: 'This cannot be done with the reservation any more',
    help: '`reservationStatus` says what it is now: cancelled, released, or being paid for.',
  },
  PAYMENT_NEEDED: {
    status: 409,
    title: 'This reservation has to be paid for',
    help: 'Only a total of zero is confirmed without payment.',
  },
  NOT_CANCELLABLE: {
    status: 409,
    title: 'These tickets can no longer be cancelled',
    help: '`tickets` names each with its reason: checked in, listed, void, or the doors have opened.',
  },
  NOTHING_TO_REFUND: {
    status: 409,
    title: 'There is nothing to be refunded',
    help: '`reservationStatus` says why: it is not paid for yet (giving it up costs nothing, and a payment that still comes goes back as a whole), or it is over.',
  },
  REFUND_CHANGED: {
    status: 409,
    title: 'Less would go back now than was shown',
    help: 'Nothing was cancelled. `quote` says what would go back now; show it, and send its `refundKrw` if it is still wanted.',
  },
  SEATS_NOT_FREE: {
    status: 409,
    title: 'Only free seats can be blocked, and only blocked ones freed',
    help: '`seats` names each that is in the way with its `state`. Nothing was changed. Leave them out and send again; a held seat may be free in some minutes.',
  },
  TICKET_NOT_VALID: {
    status: 409,
    title: 'This ticket does not open the door',
    help: '`reason` says why and `detail` what to do: `used` (`checkedInAt` and `gate` say when and where), `void`, `replaced` by a newer code, `listed` for sale, `other_event`, or `unknown`.',
  },
  CODE_INVALID: {
    status: 400,
    title: 'This is not a ticket of ours',
    help: 'The code is damaged, forged or signed with a key that is no longer accepted. Scan again; ask the holder to show the ticket anew.',
  },
  SEAT_STREAMS_FULL: {
    status: 503,
    title: 'Too many open seat streams',
    help: 'This process has as many open streams as it can carry. Poll with `?since=` instead, or try again after Retry-After.',
    retryAfterSeconds: 5,
  },
});
