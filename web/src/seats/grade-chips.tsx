import { useI18n } from '../i18n/i18n.tsx';
import { GradeMark } from './grade-mark.tsx';
import type { GradeLeft } from './seat-types.ts';

export interface GradeChipsProps {
  /** In the order of the layout, by which shapes and colours are given. */
  readonly layoutGrades: readonly string[];
  readonly grades: readonly GradeLeft[];
  readonly selected: number | null;
  readonly onSelect: (index: number | null) => void;
}

/** What each grade costs and how much of it is left. Pressing one dims the others. */
export function GradeChips({ layoutGrades, grades, selected, onSelect }: GradeChipsProps) {
  const { t, format } = useI18n();
  return (
    <fieldset>
      <legend className="sr-only">{t.seats.grades}</legend>
      <div className="flex flex-wrap gap-2">
        {grades.map(({ grade, priceKrw, left }) => {
          const index = layoutGrades.indexOf(grade);
          const isSelected = selected === index;
          return (
            <button
              key={grade}
              type="button"
              aria-pressed={isSelected}
              onClick={() => onSelect(isSelected ? null : index)}
              className="inline-flex min-h-11 items-center gap-2 rounded-full border border-line-strong bg-surface px-3.5 text-left text-meta leading-tight hover:bg-sunk aria-pressed:border-ink aria-pressed:bg-sunk aria-pressed:shadow-[inset_0_0_0_1px_var(--ink)]"
            >
              <GradeMark index={index} />
              <span>
                <span className="font-bold">{t.seats.grade(grade)}</span>{' '}
                <span className="tabular-nums">{priceKrw === 0 ? t.common.free : format.krw(priceKrw)}</span>
                <span className="block text-ink-soft tabular-nums">
                  {left === 0 ? t.seats.noneLeft : t.seats.left(format.count(left))}
                </span>
              </span>
            </button>
          );
        })}
      </div>
    </fieldset>
  );
}
