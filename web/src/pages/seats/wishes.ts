import { type ApiProblem, isProblem } from '../../api/problem.ts';

/** What somebody wants of the best seats. */
export interface Wishes {
  readonly count: number;
  readonly together: boolean;
  readonly grade?: string | undefined;
  readonly section?: string | undefined;
  readonly maxPriceKrw?: number | undefined;
}

const shownMax = 4;

/** What the server says could be had instead: the nearest wishes first. */
export function wishesThatFit(problem: ApiProblem | null): readonly Wishes[] {
  if (!isProblem(problem, 'NOTHING_FITS') || !Array.isArray(problem.document.wouldFit)) return [];
  return problem.document.wouldFit.slice(0, shownMax).flatMap((other: unknown) => {
    if (typeof other !== 'object' || other === null) return [];
    const { count, together, grade, section, maxPriceKrw } = other as Readonly<Record<string, unknown>>;
    if (typeof count !== 'number' || typeof together !== 'boolean') return [];
    return [
      {
        count,
        together,
        ...(typeof grade === 'string' && { grade }),
        ...(typeof section === 'string' && { section }),
        ...(typeof maxPriceKrw === 'number' && { maxPriceKrw }),
      },
    ];
  });
}
