import { useRouter } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import { isProblem } from '../../api/problem.ts';
import { problemText } from '../../app/problem-text.ts';
import { useSessionActions } from '../../app/session.ts';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { Notice } from '../../design/notice.tsx';
import { useAccountWords } from '../../i18n/account/words.tsx';
import { useI18n } from '../../i18n/i18n.tsx';
import { PasswordField } from '../login/password-field.tsx';

/** Says what goes and what stays, and asks for the password. Staying has the focus. */
export function LeaveDialog({ close }: { readonly close: () => void }) {
  const { t } = useI18n();
  const w = useAccountWords();
  const { leave } = useSessionActions();
  const router = useRouter();
  const dialog = useRef<HTMLDialogElement>(null);
  const [password, setPassword] = useState('');
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const isWrong = isProblem(failure, 'PASSWORD_WRONG');

  const go = async () => {
    if (busy) return;
    setBusy(true);
    setFailure(null);
    try {
      // Who signs in through a provider has no password to type.
      await leave(password === '' ? {} : { password });
      router.history.push('/');
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void go();
  };
  return (
    <Dialog title={w.leaveTitle} text={w.leaveDialogText} close={close} handle={dialog}>
      <Button wide look="secondary" className="mt-5" onClick={() => dialog.current?.close()}>
        {w.stay}
      </Button>
      <dl className="mt-5 grid gap-3">
        <div>
          <dt className="font-bold text-meta">{w.goesTitle}</dt>
          <dd className="text-ink-soft">{w.goes}</dd>
        </div>
        <div>
          <dt className="font-bold text-meta">{w.staysTitle}</dt>
          <dd className="text-ink-soft">{w.stays}</dd>
        </div>
      </dl>
      <form className="mt-5 grid gap-4" onSubmit={submit} noValidate>
        <PasswordField
          value={password}
          onChange={setPassword}
          problem={isWrong ? problemText(failure, t).text : undefined}
          autoComplete="current-password"
        />
        {failure !== null && !isWrong && (
          <Notice tone="problem">
            {problemText(failure, t).text}
            <Obstacles failure={failure} />
          </Notice>
        )}
        <Button wide look="danger" type="submit" busy={busy}>
          {w.leave}
        </Button>
      </form>
    </Dialog>
  );
}

function Obstacles({ failure }: { readonly failure: unknown }) {
  const w = useAccountWords();
  if (!isProblem(failure, 'ACCOUNT_IN_USE')) return null;
  const { reasons } = failure.document;
  const texts: Readonly<Record<string, string>> = w.obstacles;
  const known = (Array.isArray(reasons) ? reasons : []).flatMap((reason) => texts[String(reason)] ?? []);
  return (
    <ul className="mt-2 grid gap-1">
      {known.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}
