import { useI18n } from '../i18n/i18n.tsx';
import { GradeMark } from './grade-mark.tsx';
import { sectionName } from './seat-names.ts';
import type { SeatPlan } from './seat-plan.ts';

export interface SectionListProps {
  readonly plan: SeatPlan;
  readonly free: Uint32Array;
  readonly grade: number | null;
  readonly onSelect: (index: number) => void;
}

/** The sections with what is left in each, those with nothing last. */
export function SectionList({ plan, free, grade, onSelect }: SectionListProps) {
  const i18n = useI18n();
  const { t, format } = i18n;
  const shown = plan.sections.filter(
    ({ first, count }) => grade === null || plan.gradeOf.subarray(first, first + count).includes(grade),
  );
  return (
    <section aria-label={t.seats.sections} className="mt-6">
      <h2 className="mb-3 font-bold text-lead">{t.seats.sections}</h2>
      <ul className="grid grid-cols-2 gap-2 sm:grid-cols-3">
        {shown.map((section) => {
          const left = free[section.index] ?? 0;
          return (
            <li key={section.id}>
              <button
                type="button"
                onClick={() => onSelect(section.index)}
                className="flex min-h-14 w-full items-center gap-2.5 rounded-control border border-line bg-surface px-3.5 py-2 text-left hover:border-line-strong"
              >
                <GradeMark index={section.grade} />
                <span className="min-w-0 leading-snug">
                  <span className="block font-bold text-[0.9375rem]">{sectionName(section, i18n)}</span>
                  <span className={`text-meta tabular-nums ${left === 0 ? 'text-ink-soft' : ''}`}>
                    {left === 0 ? t.seats.noneLeft : t.seats.left(format.count(left))}
                  </span>
                </span>
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
