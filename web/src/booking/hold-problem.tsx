import type { ApiProblem } from '../api/problem.ts';
import { problemText } from '../app/problem-text.ts';
import { Notice } from '../design/notice.tsx';
import { type I18n, useI18n } from '../i18n/i18n.tsx';

/** Why nothing was held, what to do about it, and what the server adds: a limit, a moment. */
export function HoldProblem({ problem }: { readonly problem: ApiProblem | null }) {
  const i18n = useI18n();
  if (problem === null) return null;
  const more = moreWords(problem, i18n);
  return (
    <div className="mt-3 mb-2">
      <Notice tone="problem">
        {problemText(problem, i18n.t).text}
        {more !== null && ` ${more}`}
      </Notice>
    </div>
  );
}

function moreWords({ code, document }: ApiProblem, { t, format }: I18n): string | null {
  if (code === 'PURCHASE_LIMIT' && typeof document.limit === 'number' && typeof document.have === 'number') {
    return t.seats.haveOfLimit(format.count(document.have), format.count(document.limit));
  }
  const opensAtMs = typeof document.opensAt === 'string' ? Date.parse(document.opensAt) : Number.NaN;
  return Number.isNaN(opensAtMs) ? null : t.seats.opensAt(format.dateTime(opensAtMs));
}
