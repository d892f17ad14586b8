import { useEffect, useRef } from 'react';
import type { ApiProblem } from '../../api/problem.ts';
import { problemText } from '../../app/problem-text.ts';
import { Notice } from '../../design/notice.tsx';
import { useI18n } from '../../i18n/i18n.tsx';
import { usePurchaseWords } from '../../i18n/purchase/words.tsx';
import type { Order } from '../../payment/order-types.ts';

/** Why the last try was not paid, also after a reload, and what to do about it. The region is always there, so that it is heard. */
export function PayProblem({ order, problem }: { readonly order: Order; readonly problem: ApiProblem | null }) {
  const { t } = useI18n();
  const w = usePurchaseWords();
  const declined = order.payment?.status === 'failed' ? (order.payment.declineReason ?? 'declined') : null;
  const isOther = problem !== null && problem.code !== 'PAYMENT_DECLINED';
  const problems: Readonly<Record<string, string>> = w.problems;
  const reasons: Readonly<Record<string, string>> = w.pay.declined.reasons;
  const said = useRef<HTMLDivElement>(null);
  const what = isOther ? problem : order.payment?.id;
  // The button that was pressed may be a screen away.
  useEffect(() => {
    if (what !== undefined && said.current?.hasChildNodes()) said.current.scrollIntoView({ block: 'start' });
  }, [what]);
  return (
    <div ref={said} role="alert" className="scroll-mt-36 not-empty:mt-4">
      {isOther ? (
        <Notice tone="problem" within="live-region">
          {problem.code === 'PAY_WINDOW' ? w.pay.tossFailed : (problems[problem.code] ?? problemText(problem, t).text)}
        </Notice>
      ) : (
        declined !== null && (
          <Notice tone="problem" within="live-region">
            <p className="font-bold">{w.pay.declined.title}</p>
            <p>{reasons[declined] ?? w.pay.declined.reasons.declined}</p>
            <p>{w.pay.declined.kept}</p>
          </Notice>
        )
      )}
    </div>
  );
}
