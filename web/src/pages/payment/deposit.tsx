import { useState } from 'react';
import { api } from '../../app/api.ts';
import { problemText } from '../../app/problem-text.ts';
import { Button } from '../../design/button.tsx';
import { Icon } from '../../design/icon.tsx';
import { Notice } from '../../design/notice.tsx';
import { clockText } from '../../design/time-parts.ts';
import { Toast, useToast } from '../../design/toast.tsx';
import { useI18n } from '../../i18n/i18n.tsx';
import { usePurchaseWords } from '../../i18n/purchase/words.tsx';
import { SeoulTime } from '../../i18n/seoul-time.tsx';
import type { Order } from '../../payment/order-types.ts';
import { TimeAnnouncer } from '../../reservations/hold-time.tsx';
import { Slip, SlipFacts } from './slip.tsx';
import { ToReservations } from './to-reservations.tsx';

/** Where to transfer how much, and until when. */
export function DepositSlip({ order, nowMs }: { readonly order: Order; readonly nowMs: number }) {
  const { format } = useI18n();
  const { deposit } = usePurchaseWords().pay;
  const { toast, say } = useToast();
  const account = order.payment?.account ?? null;
  const leftMs = account === null ? 0 : Date.parse(account.depositUntil) - nowMs;
  const copy = async (number: string) => {
    await navigator.clipboard.writeText(number);
    say(deposit.copied);
  };
  return (
    <>
      <Toast toast={toast} />
      {account !== null && <TimeAnnouncer leftMs={leftMs} words={deposit} />}
      <Slip
        tone="indigo"
        title={deposit.title}
        lead={
          <>
            {leftMs > 0 ? (
              <p role="timer" className="inline-flex items-center gap-1.5 font-bold text-title tabular-nums">
                <Icon name="clock" className="size-5" />
                {deposit.left(clockText(leftMs))}
              </p>
            ) : (
              <p role="status" className="font-bold">
                {deposit.closing}
              </p>
            )}
            <p className="mt-1">{deposit.text}</p>
          </>
        }
        actions={
          <>
            {account !== null && 'clipboard' in navigator && (
              <Button look="secondary" onClick={() => void copy(account.number).catch(() => undefined)}>
                {deposit.copy}
              </Button>
            )}
            <ToReservations />
          </>
        }
      >
        {account !== null && (
          <SlipFacts
            facts={[
              { name: deposit.bank, value: account.bank },
              { name: deposit.number, value: <span className="text-title">{account.number}</span> },
              { name: deposit.amount, value: <span className="text-title">{format.krw(order.amountKrw)}</span> },
              { name: deposit.until, value: <SeoulTime at={account.depositUntil} /> },
            ]}
          />
        )}
        {order.provider === 'sandbox' && <PlayDeposit orderId={order.orderId} />}
      </Slip>
    </>
  );
}

/** The bank of the sandbox is played by its visitor. */
function PlayDeposit({ orderId }: { readonly orderId: string }) {
  const { t } = useI18n();
  const { deposit } = usePurchaseWords().pay;
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const play = async () => {
    setBusy(true);
    setFailure(null);
    try {
      // The page hears of it as of any other deposit.
      await api.sandboxDeposit({ params: { orderId, act: 'deposit' } });
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="mt-4 rounded-control bg-sunk p-4">
      <p className="text-[0.9375rem]">{deposit.playText}</p>
      {failure !== null && (
        <div className="mt-2">
          <Notice tone="problem">{problemText(failure, t).text}</Notice>
        </div>
      )}
      <Button look="secondary" busy={busy} className="mt-3" onClick={() => void play()}>
        {deposit.play}
      </Button>
    </div>
  );
}
