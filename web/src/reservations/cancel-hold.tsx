import { useRef, useState } from 'react';
import { isProblem } from '../api/problem.ts';
import { api } from '../app/api.ts';
import { problemText } from '../app/problem-text.ts';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Notice } from '../design/notice.tsx';
import { useI18n } from '../i18n/i18n.tsx';

export interface CancelHoldProps {
  readonly reservationId: string;
  readonly close: () => void;
  /** It is no longer held, no matter who or what ended it. */
  readonly done: () => void;
}

/** Asks before a hold is given up. The way back has the focus. */
export function CancelHoldDialog({ reservationId, close, done }: CancelHoldProps) {
  const { t } = useI18n();
  const dialog = useRef<HTMLDialogElement>(null);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const giveUp = async () => {
    setBusy(true);
    setFailure(null);
    try {
      await api.cancelReservation({ params: { reservationId }, body: {} });
      done();
      close();
    } catch (error) {
      // It has ended by itself: what was wanted has happened.
      if (isProblem(error, 'RESERVATION_EXPIRED')) {
        done();
        close();
        return;
      }
      setFailure(error);
      setBusy(false);
    }
  };
  return (
    <Dialog title={t.held.giveUpTitle} text={t.held.giveUpText} close={close} handle={dialog}>
      {failure !== null && (
        <div className="mt-4">
          <Notice tone="problem">{problemText(failure, t).text}</Notice>
        </div>
      )}
      <div className="mt-6 grid gap-3 sm:grid-cols-2">
        <Button wide onClick={() => dialog.current?.close()}>
          {t.held.keep}
        </Button>
        <Button wide look="danger" busy={busy} onClick={() => void giveUp()}>
          {t.held.giveUp}
        </Button>
      </div>
    </Dialog>
  );
}
