import type { ApiProblem } from '../api/problem.ts';
import { Notice } from '../design/notice.tsx';
import { useI18n } from '../i18n/i18n.tsx';
import { holdWords } from './hold-words.ts';

/** Why nothing was held. */
export function HoldProblem({ problem }: { readonly problem: ApiProblem | null }) {
  const i18n = useI18n();
  if (problem === null) return null;
  return (
    <div className="mt-3 mb-2">
      <Notice tone="problem">{holdWords(problem, i18n)}</Notice>
    </div>
  );
}
