import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import { Button } from '../../design/button.tsx';
import { StickyActionBar } from '../../design/sticky-action-bar.tsx';
import { useI18n } from '../../i18n/i18n.tsx';
import { usePurchaseWords } from '../../i18n/purchase/words.tsx';
import type { Order } from '../../payment/order-types.ts';
import { checkDraft, type PayDraft, type PayField } from '../../payment/pay-choice.ts';
import type { PayAct } from '../../payment/use-pay.ts';
import { Buyer } from './buyer.tsx';
import { Consents } from './consents.tsx';
import { HoldBar } from './hold-bar.tsx';
import { columns, formColumn, sideColumn } from './layout.ts';
import { Method } from './method.tsx';
import { OrderSummary } from './order-summary.tsx';
import { PayProblem } from './pay-problem.tsx';
import { useLeaveGuard } from './use-leave-guard.ts';
import { usePayWindow } from './use-pay-window.ts';

export interface PayFormProps {
  readonly order: Order;
  readonly act: PayAct;
  readonly nowMs: number;
  readonly isSending: boolean;
}

/** Everything that is to be known and said before money moves, and the button that moves it. */
export function PayForm({ order, act, nowMs, isSending }: PayFormProps) {
  const { format } = useI18n();
  const w = usePurchaseWords();
  const navigate = useNavigate();
  const form = useRef<HTMLFormElement>(null);
  const payWindow = usePayWindow();
  const [draft, setDraft] = useState<PayDraft>(() => emptyDraft(order));
  const [wrong, setWrong] = useState<readonly PayField[]>([]);
  const isBusy = isSending || payWindow.isOpening;
  useLeaveGuard(isSending, w.pay.leave);

  const change = (changes: Partial<PayDraft>) => {
    setDraft({ ...draft, ...changes });
    setWrong(wrong.filter((field) => !(field in changes)));
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    const choice = checkDraft(draft, order.clientKey === null);
    if (!('method' in choice)) {
      setWrong(choice);
      form.current?.querySelector<HTMLElement>(`[data-field="${choice[0]}"] :is(input, select)`)?.focus();
      return;
    }
    setWrong([]);
    act.clear();
    if (order.clientKey !== null) return payWindow.open(order, order.clientKey, choice);
    const orderId = await act.pay(order, choice);
    if (orderId === order.orderId) return;
    await navigate({ to: '/payment/$orderId', params: { orderId }, replace: true, ignoreBlocker: true });
  };
  const amount = format.krw(order.amountKrw);
  return (
    <>
      <HoldBar order={order} nowMs={nowMs} />
      <form ref={form} noValidate onSubmit={(event) => void submit(event)} className={columns}>
        <div className={sideColumn}>
          <OrderSummary order={order} />
        </div>
        <div className={formColumn}>
          <h1 className="font-black text-headline">{w.pay.title}</h1>
          <PayProblem order={order} problem={payWindow.problem ?? act.problem} />
          <fieldset disabled={isBusy} className="contents">
            <Buyer />
            <Method order={order} draft={draft} change={change} wrong={wrong} />
            <Consents draft={draft} change={change} isWrong={wrong.includes('consents')} />
          </fieldset>
        </div>
        <div className={`${sideColumn} lg:sticky lg:top-40`}>
          <StickyActionBar label={w.pay.title}>
            <p role="status" className="text-center font-bold text-[0.9375rem] not-empty:mb-2">
              {isBusy && `${w.pay.sending}. ${w.pay.sendingText}`}
            </p>
            <Button type="submit" wide busy={isBusy}>
              {isBusy ? w.pay.sending : draft.method === 'card' ? w.pay.pay(amount) : w.pay.openAccount(amount)}
            </Button>
          </StickyActionBar>
        </div>
      </form>
    </>
  );
}

function emptyDraft(order: Order): PayDraft {
  return { method: order.method, cardNumber: '', bank: '', accountNumber: '', holder: '', consents: [] };
}
