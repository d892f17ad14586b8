import type { FieldProblem } from '../domain/field-problem.ts';
import type { EventDraft } from '../service/events.ts';
import { invalidBody } from '../service/guard.ts';
import type { EventBody } from './seller-schemas.ts';

/** Shows are planned in this span; anything outside is a slip of the pen (and no use to a database). */
const earliestMs = Date.UTC(2000, 0, 1);
const latestMs = Date.UTC(2100, 0, 1);

/** What is left out is empty, and times become numbers. */
export function draftOf(body: EventBody): EventDraft {
  const problems: FieldProblem[] = [];
  const time = (field: string, text: string): number => {
    const ms = Date.parse(text);
    // The format allows a leap second, which has no number; it is refused like a time out of range.
    if (!(ms >= earliestMs && ms < latestMs)) problems.push({ field, message: 'must be a time between 2000 and 2100' });
    return ms;
  };
  const optionalTime = (field: 'startsAt' | 'doorsAt' | 'saleOpensAt' | 'saleClosesAt') => {
    const text = body[field] ?? null;
    return text === null ? null : time(field, text);
  };
  const draft: EventDraft = {
    title: body.title,
    titleEn: body.titleEn ?? null,
    description: body.description ?? '',
    descriptionEn: body.descriptionEn ?? null,
    imageUrl: body.imageUrl ?? null,
    artistId: body.artistId ?? null,
    venueId: body.venueId ?? null,
    layoutId: body.layoutId ?? null,
    startsAt: optionalTime('startsAt'),
    doorsAt: optionalTime('doorsAt'),
    saleOpensAt: optionalTime('saleOpensAt'),
    saleClosesAt: optionalTime('saleClosesAt'),
    prices: body.prices ?? [],
    standingPrices: body.standingPrices ?? [],
    phases: (body.phases ?? []).map(({ tier, opensAt }, index) => ({
      tier,
      opensAt: time(`phases.${index}.opensAt`, opensAt),
    })),
    purchaseLimit: body.purchaseLimit ?? 4,
    hot: body.hot ?? false,
    queueEnabled: body.queueEnabled ?? true,
    queueThreshold: body.queueThreshold ?? null,
    seatReturnDelayMaxSeconds: body.seatReturnDelayMaxSeconds ?? 0,
  };
  if (problems.length > 0) throw invalidBody(problems);
  return draft;
}
