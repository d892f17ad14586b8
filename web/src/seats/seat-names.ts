import type { I18n } from '../i18n/i18n.tsx';
import type { PlanSeat, PlanSection } from './seat-plan.ts';

/** `1층 B구역`: the floor only where the section's own name does not begin with it. */
export function sectionName(section: PlanSection, { pick }: Pick<I18n, 'pick'>): string {
  const name = pick(section.name, section.nameEn);
  const floor = section.floor === null ? null : pick(section.floor, section.floorEn);
  return floor === null || name.startsWith(floor) ? name : `${floor} ${name}`;
}

export function seatName(seat: PlanSeat, i18n: Pick<I18n, 'pick' | 't'>): string {
  return i18n.t.seats.seat(sectionName(seat.section, i18n), seat.row, seat.label);
}

export type SeatStateName = 'free' | 'chosen' | 'mine' | 'held' | 'sold' | 'blocked' | 'lost';

/** All that a screen reader needs: `1층 B구역 3열 12번, R석, 143,000원, 선택 가능`. */
export function fullSeatName(
  seat: PlanSeat,
  facts: { readonly priceKrw: number | null; readonly state: SeatStateName },
  i18n: Pick<I18n, 'pick' | 't' | 'format'>,
): string {
  const { t, format } = i18n;
  const parts = [
    seatName(seat, i18n),
    t.seats.grade(seat.grade),
    facts.priceKrw === null ? null : facts.priceKrw === 0 ? t.common.free : format.krw(facts.priceKrw),
    ...seat.marks.map((mark) => t.seats.marks[mark]),
    seat.note,
    t.seats.states[facts.state],
  ];
  return parts.filter((part) => part !== null).join(', ');
}
