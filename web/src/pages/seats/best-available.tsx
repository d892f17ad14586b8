import { useState } from 'react';
import { api } from '../../app/api.ts';
import { HoldProblem } from '../../booking/hold-problem.tsx';
import type { Booking } from '../../booking/use-booking.ts';
import { useHold } from '../../booking/use-hold.ts';
import { Button } from '../../design/button.tsx';
import { Checkbox } from '../../design/checkbox.tsx';
import { Select } from '../../design/select.tsx';
import { Stepper } from '../../design/stepper.tsx';
import type { EventDetail } from '../../events/event-types.ts';
import { useI18n } from '../../i18n/i18n.tsx';
import { sectionName } from '../../seats/seat-names.ts';
import type { PlanSection } from '../../seats/seat-plan.ts';
import type { GradeLeft } from '../../seats/seat-types.ts';
import { type Wishes, wishesThatFit } from './wishes.ts';

export interface BestAvailableProps {
  readonly event: EventDetail;
  readonly grades: readonly GradeLeft[];
  readonly max: number;
  /** The section that is looked at: the best seats are looked for there. */
  readonly section: PlanSection | null;
  readonly booking: Booking;
}

/** Says what is wanted and holds the best that fits. */
export function BestAvailable({ event, grades, max, section, booking }: BestAvailableProps) {
  const i18n = useI18n();
  const { t, format } = i18n;
  const [wishes, setWishes] = useState<Wishes>({ count: Math.min(2, max), together: true });
  const hold = useHold(event.id, booking.tell);
  const held = booking.holdState === 'held' ? booking.hold : null;
  const wish = (more: Partial<Wishes>) => setWishes({ ...wishes, ...more });
  const prices = [...new Set(grades.map(({ priceKrw }) => priceKrw))].sort((a, b) => b - a);
  const ask = (wanted: Wishes) =>
    void hold.ask(
      {
        eventId: event.id,
        count: wanted.count,
        together: wanted.together,
        ...(wanted.grade !== undefined && { grade: wanted.grade }),
        ...(wanted.maxPriceKrw !== undefined && { maxPriceKrw: wanted.maxPriceKrw }),
        ...(wanted.section !== undefined && { section: wanted.section }),
        ...(held !== null && { replaces: held.id }),
      },
      (body, options) => api.reserveBestAvailable({ body }, options),
    );
  const fits = wishesThatFit(hold.problem);
  return (
    <>
      <p className="mb-3 text-[0.9375rem] text-ink-soft">
        {t.best.lead}
        {section !== null && ` (${t.best.sectionIs(sectionName(section, i18n))})`}
      </p>
      <Stepper
        label={t.best.count}
        value={wishes.count}
        min={1}
        max={max}
        onChange={(count) => wish({ count })}
        fewer={t.best.fewer}
        more={t.best.more}
      />
      <Checkbox checked={wishes.together} onChange={(together) => wish({ together })}>
        {t.best.together}
      </Checkbox>
      <div className="mt-2 grid grid-cols-2 gap-3">
        <Select
          label={t.best.grade}
          value={wishes.grade ?? ''}
          onChange={(grade) => wish({ grade: grade === '' ? undefined : grade })}
          options={[
            { value: '', label: t.best.any },
            ...grades.map(({ grade }) => ({ value: grade, label: t.seats.grade(grade) })),
          ]}
        />
        <Select
          label={t.best.priceMax}
          value={String(wishes.maxPriceKrw ?? '')}
          onChange={(price) => wish({ maxPriceKrw: price === '' ? undefined : Number(price) })}
          options={[
            { value: '', label: t.best.noMax },
            ...prices.map((price) => ({ value: String(price), label: t.best.upTo(format.krw(price)) })),
          ]}
        />
      </div>
      <HoldProblem problem={hold.problem} />
      {fits.length > 0 && (
        <div className="mt-3">
          <p className="font-bold text-[0.9375rem]">{t.best.wouldFit}</p>
          <ul className="mt-2 flex flex-wrap gap-2">
            {fits.map((fit) => (
              <li key={JSON.stringify(fit)}>
                <Button
                  look="secondary"
                  busy={hold.busy}
                  onClick={() => {
                    setWishes(fit);
                    ask(fit);
                  }}
                >
                  {[
                    t.seats.count(format.count(fit.count)),
                    fit.together ? t.best.together : t.best.apart,
                    ...(fit.grade === undefined ? [] : [t.seats.grade(fit.grade)]),
                    ...(fit.section === undefined ? [] : [t.seats.sectionById(fit.section)]),
                  ].join(' · ')}
                </Button>
              </li>
            ))}
          </ul>
        </div>
      )}
      <Button
        wide
        look="secondary"
        className="mt-4"
        busy={hold.busy}
        onClick={() => ask({ ...wishes, ...(section !== null && { section: section.id }) })}
      >
        {t.best.submit}
      </Button>
    </>
  );
}
