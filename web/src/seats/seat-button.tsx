import { memo } from 'react';
import { classNames } from '../design/class-names.ts';
import { Icon } from '../design/icon.tsx';
import { GradeMark } from './grade-mark.tsx';
import type { SeatStateName } from './seat-names.ts';
import type { SeatMark } from './seat-plan.ts';

export interface SeatButtonProps {
  readonly seatNo: number;
  readonly label: string;
  readonly grade: number;
  readonly state: SeatStateName;
  /** Read instead of the number. */
  readonly name: string;
  readonly mark: SeatMark | null;
  /** The one that the Tab key stops at. */
  readonly isStop: boolean;
  readonly hintId: string;
  readonly onFocus: (seatNo: number) => void;
  readonly onPress: (seatNo: number) => void;
}

/** One seat of the list. Drawn anew only when something of it has changed: a section has hundreds. */
export const SeatButton = memo(function SeatButton(props: SeatButtonProps) {
  const { seatNo, label, grade, state, name, mark, isStop } = props;
  const isChosen = state === 'chosen';
  const canPress = state === 'free' || isChosen || state === 'mine';
  return (
    <button
      type="button"
      data-seat={seatNo}
      tabIndex={isStop ? 0 : -1}
      aria-pressed={isChosen}
      aria-disabled={!canPress || undefined}
      aria-describedby={isStop ? props.hintId : undefined}
      title={name}
      onFocus={() => props.onFocus(seatNo)}
      onClick={() => props.onPress(seatNo)}
      className={classNames(
        'relative inline-flex size-11 flex-col items-center justify-center rounded-lg border font-bold text-meta tabular-nums leading-none',
        looks[state],
      )}
    >
      {state === 'free' && <GradeMark index={grade} className="mb-1 size-2.5" />}
      {(isChosen || state === 'mine') && <Icon name="check" className="mb-0.5 size-3.5" />}
      {state === 'lost' && <Icon name="close" className="mb-0.5 size-3.5" />}
      <span aria-hidden="true">{label}</span>
      <span className="sr-only">{name}</span>
      {mark !== null && (
        <span aria-hidden="true" className="absolute top-0.5 right-1 font-normal text-[0.625rem]">
          {signs[mark]}
        </span>
      )}
    </button>
  );
});

const looks: Readonly<Record<SeatStateName, string>> = {
  free: 'border-line-strong bg-surface hover:border-ink',
  chosen: 'border-seal bg-seal text-on-seal',
  mine: 'border-jade bg-jade-wash text-jade',
  held: 'cursor-not-allowed border-transparent bg-sunk text-ink-soft line-through',
  sold: 'cursor-not-allowed border-transparent bg-sunk text-ink-soft line-through',
  blocked: 'cursor-not-allowed border-transparent bg-sunk text-ink-soft line-through',
  lost: 'cursor-not-allowed border-amber bg-amber-wash text-amber',
};

/** A wheelchair, the one who comes along, a view past something; the name says it in words. */
const signs: Readonly<Record<SeatMark, string>> = { accessible: '♿', companion: '+', restrictedView: '◐' };
