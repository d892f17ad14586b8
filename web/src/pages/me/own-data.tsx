import { useState } from 'react';
import { api } from '../../app/api.ts';
import { problemText } from '../../app/problem-text.ts';
import { Button } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import { useAccountWords } from '../../i18n/account/words.tsx';
import { useI18n } from '../../i18n/i18n.tsx';
import { LeaveDialog } from './leave-dialog.tsx';
import { saveFile } from './save-file.ts';

/** What is kept of the user: to take away, or to be rid of. */
export function OwnData() {
  const { t } = useI18n();
  const w = useAccountWords();
  const [isLeaving, setLeaving] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const download = async () => {
    setBusy(true);
    setFailure(null);
    try {
      saveFile('urr-data.json', JSON.stringify(await api.exportMe(), null, 2));
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <div>
        <p className="text-ink-soft">{w.dataText}</p>
        <Button look="secondary" className="mt-4" busy={busy} onClick={() => void download()}>
          {w.download}
        </Button>
        {failure !== null && (
          <div className="mt-4">
            <Notice tone="problem">{problemText(failure, t).text}</Notice>
          </div>
        )}
      </div>
      <div>
        <p className="text-ink-soft">{w.leaveText}</p>
        <Button look="danger" className="mt-4" onClick={() => setLeaving(true)}>
          {w.leave}
        </Button>
      </div>
      {isLeaving && <LeaveDialog close={() => setLeaving(false)} />}
    </>
  );
}
