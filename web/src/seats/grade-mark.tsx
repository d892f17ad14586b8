import { gradeColour, gradeShape } from './grade-shapes.ts';

/** The sign of a grade, as on the map. Always beside its name. */
export function GradeMark({ index, className = 'size-3.5' }: { readonly index: number; readonly className?: string }) {
  return (
    <svg viewBox="-11 -11 22 22" aria-hidden="true" className={`shrink-0 ${className}`}>
      <path d={gradeShape(index)} fill={`var(${gradeColour(index)})`} />
    </svg>
  );
}
