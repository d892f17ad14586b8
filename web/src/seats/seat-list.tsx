import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { Button } from '../design/button.tsx';
import { Icon } from '../design/icon.tsx';
import { useI18n } from '../i18n/i18n.tsx';
import { isRovingKey, nextSeat } from './roving.ts';
import { SeatButton } from './seat-button.tsx';
import { fullSeatName, sectionName } from './seat-names.ts';
import type { PlanSection, SeatPlan } from './seat-plan.ts';
import { type SeatsSeen, seatStateName } from './seat-state-name.ts';

export interface SeatListProps {
  readonly plan: SeatPlan;
  readonly section: PlanSection;
  readonly seen: SeatsSeen;
  /** By grade, as the layout numbers them. */
  readonly priceOf: (gradeIndex: number) => number | null;
  readonly onSeat: (seatNo: number) => void;
  readonly onBack: () => void;
}

/** More rows at once would make a slow phone wait. */
const rowsAtOnce = 40;

/** The seats of one section, row by row: one stop for the Tab key, arrows inside. */
export function SeatList({ plan, section, seen, priceOf, onSeat, onBack }: SeatListProps) {
  const i18n = useI18n();
  const { t } = i18n;
  const hintId = useId();
  const list = useRef<HTMLDivElement>(null);
  const [rowsShown, setRowsShown] = useState(rowsAtOnce);
  const [active, setActive] = useState(section.first);
  const rows = section.rows.slice(0, rowsShown);
  const name = sectionName(section, i18n);

  const onKeyDown = (event: KeyboardEvent) => {
    if (!isRovingKey(event.key)) return;
    event.preventDefault();
    const next = nextSeat(rows, active, event.key);
    setActive(next);
    list.current?.querySelector<HTMLElement>(`[data-seat="${next}"]`)?.focus();
  };
  return (
    <section aria-label={t.seats.seatsOf(name)} className="mt-6">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4">
        <h2 className="font-bold text-lead">{name}</h2>
        <button
          type="button"
          onClick={onBack}
          className="inline-flex min-h-11 items-center gap-1 font-bold text-[0.9375rem] text-ink-soft hover:text-ink"
        >
          <Icon name="right" className="size-4 rotate-180" />
          {t.seats.allSections}
        </button>
      </div>
      <p id={hintId} className="sr-only">
        {t.seats.listHint}
      </p>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the seats in it */}
      <div ref={list} onKeyDown={onKeyDown} className="space-y-2">
        {rows.map((row) => (
          <fieldset
            key={row.label}
            className="flex gap-3 border-line border-b pb-2 [contain-intrinsic-height:3.5rem] [content-visibility:auto]"
          >
            <legend className="sr-only">{t.seats.row(row.label)}</legend>
            <span aria-hidden="true" className="w-11 shrink-0 pt-2.5 font-bold text-ink-soft text-meta tabular-nums">
              {t.seats.row(row.label)}
            </span>
            <div className="flex flex-wrap gap-1 p-1">
              {row.labels.map((label, place) => {
                const seatNo = row.first + place;
                const seat = plan.seat(seatNo);
                if (seat === undefined) return null;
                const state = seatStateName(seatNo, seen);
                return (
                  <SeatButton
                    key={label}
                    seatNo={seatNo}
                    label={label}
                    grade={seat.gradeIndex}
                    state={state}
                    name={fullSeatName(seat, { priceKrw: priceOf(seat.gradeIndex), state }, i18n)}
                    mark={seat.marks[0] ?? null}
                    isStop={seatNo === active}
                    hintId={hintId}
                    onFocus={setActive}
                    onPress={onSeat}
                  />
                );
              })}
            </div>
          </fieldset>
        ))}
      </div>
      {rowsShown < section.rows.length && (
        <Button look="secondary" className="mt-4" onClick={() => setRowsShown(rowsShown + rowsAtOnce)}>
          {t.seats.moreRows}
        </Button>
      )}
    </section>
  );
}
