import { Suspense, useMemo, useState } from 'react';
import { api } from '../../app/api.ts';
import { ActionBar } from '../../booking/action-bar.tsx';
import { ChooserHeading } from '../../booking/chooser-heading.tsx';
import { ChosenSeats } from '../../booking/chosen-seats.tsx';
import { ChangingNotice } from '../../booking/held-parts.ts';
import { HoldProblem } from '../../booking/hold-problem.tsx';
import type { Booking } from '../../booking/use-booking.ts';
import { useHold } from '../../booking/use-hold.ts';
import { useSelection } from '../../booking/use-selection.ts';
import { Notice } from '../../design/notice.tsx';
import { Skeleton } from '../../design/skeleton.tsx';
import { Toast, useToast } from '../../design/toast.tsx';
import type { EventDetail } from '../../events/event-types.ts';
import { useI18n } from '../../i18n/i18n.tsx';
import { GradeChips } from '../../seats/grade-chips.tsx';
import type { LiveMap } from '../../seats/live-map.ts';
import { SeatMap } from '../../seats/seat-map.tsx';
import { seatName } from '../../seats/seat-names.ts';
import type { SeatPlan } from '../../seats/seat-plan.ts';
import { freeBySection } from '../../seats/section-counts.ts';
import { SectionList } from '../../seats/section-list.tsx';
import { BestDisclosure } from './best-disclosure.tsx';
import { BestAvailable, SeatList, usePartsSoon } from './later-parts.ts';
import { columns } from './layout.ts';

export interface SeatChooserProps {
  readonly event: EventDetail;
  readonly plan: SeatPlan;
  readonly map: LiveMap;
  readonly isLost: boolean;
  readonly booking: Booking;
}

/** As many as one request may name. */
const seatsPerRequestMax = 20;

export function SeatChooser({ event, plan, map, isLost, booking }: SeatChooserProps) {
  const i18n = useI18n();
  const { t, format } = i18n;
  const [section, setSection] = useState<number | null>(plan.sections.length === 1 ? 0 : null);
  const [grade, setGrade] = useState<number | null>(null);
  const { toast, say } = useToast();
  usePartsSoon();
  const hold = useHold(event.id, booking.tell);
  const max = Math.min(event.purchaseLimit, seatsPerRequestMax);
  const held = booking.holdState === 'held' ? booking.hold : null;
  const mineIds = useMemo(() => held?.seats.map(({ seatId }) => seatId) ?? [], [held]);
  const nameOf = (seatNo: number) => {
    const seat = plan.seat(seatNo);
    return seat === undefined ? '' : seatName(seat, i18n);
  };
  const { selection, seen, toggle } = useSelection({
    eventId: event.id,
    plan,
    states: map.states,
    mineIds,
    max,
    onLost: (seatNos) => say(t.seats.justTaken(seatNos.map(nameOf).join(', '))),
    onRefused: (why) => say(why === 'limit' ? t.seats.limit(format.count(max)) : t.seats.notFree),
  });
  const free = useMemo(() => freeBySection(plan, map.states), [plan, map.states]);
  const prices = useMemo(
    () => plan.layout.grades.map((name) => map.grades.find((known) => known.grade === name)?.priceKrw ?? null),
    [plan, map.grades],
  );
  const priceOf = (gradeIndex: number) => prices[gradeIndex] ?? null;
  const seats = selection.flatMap((seatNo) => plan.seat(seatNo) ?? []);
  const totalKrw = seats.reduce((sum, seat) => sum + (priceOf(seat.gradeIndex) ?? 0), 0);
  const replaces = held === null ? {} : { replaces: held.id };
  const open = section === null ? undefined : plan.sections[section];

  const ask = () =>
    void hold.ask({ eventId: event.id, seatIds: seats.map(({ seatId }) => seatId), ...replaces }, (body, options) =>
      api.reserveSeats({ body }, options),
    );
  return (
    <>
      <Toast toast={toast} />
      <p aria-live="polite" className="sr-only">
        {seats.length > 0 && t.seats.choosing(t.seats.count(format.count(seats.length)))}
      </p>
      <div className={columns}>
        <div className="min-w-0">
          <ChooserHeading event={event} page="seats" />
          {held !== null && (
            <Suspense>
              <ChangingNotice booking={booking} hold={held} />
            </Suspense>
          )}
          <GradeChips layoutGrades={plan.layout.grades} grades={map.grades} selected={grade} onSelect={setGrade} />
          <BestDisclosure>
            <BestAvailable event={event} grades={map.grades} max={max} section={open ?? null} booking={booking} />
          </BestDisclosure>
          <div className="mt-4">
            <SeatMap
              plan={plan}
              seen={seen}
              free={free}
              section={section}
              grade={grade}
              onSection={setSection}
              onSeat={toggle}
            />
          </div>
          <div role="status" className="not-empty:mt-4">
            {isLost && (
              <Notice tone="warning" within="live-region">
                {t.seats.lost}
              </Notice>
            )}
          </div>
          {open === undefined ? (
            <SectionList plan={plan} free={free} grade={grade} onSelect={setSection} />
          ) : (
            <Suspense fallback={<Skeleton className="mt-6 h-96 w-full" />}>
              <SeatList
                key={open.id}
                plan={plan}
                section={open}
                seen={seen}
                priceOf={priceOf}
                onSeat={toggle}
                onBack={() => setSection(null)}
              />
            </Suspense>
          )}
        </div>
        <div className="lg:sticky lg:top-36">
          <ActionBar
            title={t.seats.chosen}
            summary={t.seats.sum(t.seats.count(format.count(seats.length)), format.krw(totalKrw))}
            action={held === null ? t.seats.hold : t.seats.swap}
            canAct={seats.length > 0}
            busy={hold.busy}
            onAct={ask}
            notice={<HoldProblem problem={hold.problem} />}
          >
            <ChosenSeats seats={seats} priceOf={priceOf} totalKrw={totalKrw} onDrop={toggle} />
          </ActionBar>
        </div>
      </div>
    </>
  );
}
