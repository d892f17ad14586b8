import { Icon } from '../design/icon.tsx';
import { useI18n } from '../i18n/i18n.tsx';
import { GradeMark } from '../seats/grade-mark.tsx';
import { seatName } from '../seats/seat-names.ts';
import type { PlanSeat } from '../seats/seat-plan.ts';

export interface ChosenSeatsProps {
  readonly seats: readonly PlanSeat[];
  readonly priceOf: (gradeIndex: number) => number | null;
  readonly totalKrw: number;
  readonly onDrop: (seatNo: number) => void;
}

export function ChosenSeats({ seats, priceOf, totalKrw, onDrop }: ChosenSeatsProps) {
  const i18n = useI18n();
  const { t, format } = i18n;
  if (seats.length === 0) return <p className="py-2 text-[0.9375rem] text-ink-soft">{t.seats.nothing}</p>;
  return (
    <>
      <ul className="divide-y divide-line">
        {seats.map((seat) => (
          <li key={seat.seatNo} className="flex items-center gap-2.5 py-1">
            <GradeMark index={seat.gradeIndex} />
            <span className="min-w-0 flex-1 leading-snug">
              <span className="block font-bold text-[0.9375rem]">{seatName(seat, i18n)}</span>
              <span className="text-ink-soft text-meta tabular-nums">
                {t.seats.grade(seat.grade)} {format.krw(priceOf(seat.gradeIndex) ?? 0)}
              </span>
            </span>
            <button
              type="button"
              onClick={() => onDrop(seat.seatNo)}
              className="inline-flex size-11 shrink-0 items-center justify-center rounded-full hover:bg-sunk"
            >
              <Icon name="close" className="size-4.5" />
              <span className="sr-only">{t.seats.drop(seatName(seat, i18n))}</span>
            </button>
          </li>
        ))}
      </ul>
      <dl className="mt-1 flex items-baseline justify-between gap-4 border-line border-t pt-3">
        <dt className="font-bold">{t.seats.price}</dt>
        <dd className="font-extrabold text-title tabular-nums">{format.krw(totalKrw)}</dd>
      </dl>
      {totalKrw > 0 && <p className="mt-1 text-ink-soft text-meta">{t.seats.feeLater}</p>}
    </>
  );
}
