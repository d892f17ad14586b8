import { defineErrors } from '#platform/errors.ts';

export const catalogErrors = defineErrors({
  EVENT_INCOMPLETE: {
    status: 422,
    title: 'The event is not ready to be sold',
    help: 'Facts are missing or contradict each other; `errors` names each. Change the event, then publish it.',
  },
  EVENT_CLOSED: {
    status: 409,
    title: 'The event is over or cancelled',
    help: 'An event that was cancelled or whose sale has ended does not change any more.',
  },
  ALREADY_PUBLISHED: {
    status: 409,
    title: 'The event was published',
    help: 'Only a draft can be deleted. Cancel a published event instead: buyers are then told and refunded.',
  },
  NOT_PUBLISHED: {
    status: 409,
    title: 'The event is still a draft',
    help: 'Only a published event can be cancelled. Delete the draft instead.',
  },
  SALE_STARTED: {
    status: 409,
    title: 'The sale has started',
    help: 'Artist, venue, layout, prices, phases and the opening of the sale stay as buyers saw them; `fields` names what you tried to change.',
  },
  SALE_ABOUT_TO_OPEN: {
    status: 409,
    title: 'The sale is about to open',
    help: 'Layout, prices and standing places stay as they are from a minute before the opening, so that the seats are ready when it comes; `fields` names what you tried to change, `lockedSince` since when. Leave them as they are, or move the opening of the sale first.',
  },
  LAYOUT_FILE_INVALID: {
    status: 422,
    title: 'The file cannot be imported',
    help: 'Nothing was stored. `errors` names each problem with its line and its column or path, the first hundred of `errorsTotal`. Mend the file and send it again.',
  },
  LAYOUT_FILES_BUSY: {
    status: 503,
    title: 'Other layout files are being worked on',
    help: 'A process reads and writes two layout files at a time, and too many wait already. Nothing was stored. Try again after Retry-After.',
    retryAfterSeconds: 2,
  },
  IN_USE: {
    status: 409,
    title: 'Something still uses this',
    help: 'An artist, venue or layout cannot be deleted while an event or layout refers to it, and a layout cannot be redrawn once a published event uses it. Make a new one.',
  },
});
