import { useRef, useState } from 'react';
import { keepFocus } from '../app/keep-focus.ts';
import { problemText } from '../app/problem-text.ts';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Notice } from '../design/notice.tsx';
import { useI18n } from '../i18n/i18n.tsx';

export interface LeaveDialogProps {
  readonly what: 'place' | 'slot';
  readonly leave: () => Promise<void>;
  readonly close: () => void;
}

/** Asks before something is given up that cannot be had back. The way back has the focus. */
export function LeaveDialog({ what, leave, close }: LeaveDialogProps) {
  const { t } = useI18n();
  const dialog = useRef<HTMLDialogElement>(null);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);

  const go = async () => {
    setBusy(true);
    setFailure(null);
    try {
      await leave();
      close();
      // With the place went the button that opened this.
      requestAnimationFrame(keepFocus);
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  };
  const slot = what === 'slot';
  return (
    <Dialog
      title={slot ? t.queue.leaveSlotTitle : t.queue.leaveTitle}
      text={slot ? t.queue.leaveSlotText : t.queue.leaveText}
      close={close}
      handle={dialog}
    >
      {failure !== null && (
        <div className="mt-4">
          <Notice tone="problem">{problemText(failure, t).text}</Notice>
        </div>
      )}
      <div className="mt-6 grid gap-3 sm:grid-cols-2">
        <Button wide onClick={() => dialog.current?.close()}>
          {slot ? t.queue.staySlot : t.queue.stay}
        </Button>
        <Button wide look="secondary" busy={busy} onClick={() => void go()}>
          {slot ? t.queue.leaveSlot : t.queue.leave}
        </Button>
      </div>
    </Dialog>
  );
}
