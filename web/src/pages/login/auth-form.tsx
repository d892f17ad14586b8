import { type ReactNode, useRef, useState } from 'react';
import { isProblem } from '../../api/problem.ts';
import { problemOfField, problemText } from '../../app/problem-text.ts';
import { Button } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import { useI18n } from '../../i18n/i18n.tsx';
import type { Messages } from '../../i18n/ko.ts';
import type { AccountField, AccountProblems } from './check-account.ts';

export interface AuthFormProps {
  readonly submit: string;
  readonly check: () => AccountProblems;
  readonly send: () => Promise<void>;
  readonly children: (problems: AccountProblems) => ReactNode;
}

/** Checks before it sends, sends once, and puts the focus on what is to be corrected. */
export function AuthForm({ submit, check, send, children }: AuthFormProps) {
  const { t } = useI18n();
  const form = useRef<HTMLFormElement>(null);
  const [problems, setProblems] = useState<AccountProblems>({});
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);

  const focusFirst = (found: AccountProblems) => {
    const name = Object.keys(found)[0];
    if (name !== undefined) form.current?.querySelector<HTMLInputElement>(`[name="${name}"]`)?.focus();
  };
  const attempt = async () => {
    const found = check();
    setProblems(found);
    setFailure(null);
    if (Object.keys(found).length > 0) return focusFirst(found);
    setBusy(true);
    try {
      await send();
    } catch (error) {
      const refused = fieldsOf(error, t);
      setProblems(refused);
      // Said at the field where that says it all.
      setFailure(isTaken(error) ? null : problemText(error, t).text);
      focusFirst(refused);
    } finally {
      setBusy(false);
    }
  };

  return (
    <form
      ref={form}
      noValidate
      className="flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) void attempt();
      }}
    >
      {failure !== null && <Notice tone="problem">{failure}</Notice>}
      {children(problems)}
      <Button type="submit" wide busy={busy}>
        {busy ? t.auth.working : submit}
      </Button>
    </form>
  );
}

const fields: readonly AccountField[] = ['name', 'email', 'password'];

const isTaken = (error: unknown) => isProblem(error, 'EMAIL_TAKEN');

function fieldsOf(error: unknown, t: Messages): AccountProblems {
  if (isTaken(error)) return { email: t.problems.EMAIL_TAKEN };
  const text = t.problems.VALIDATION_FAILED;
  const refused = fields.filter((field) => problemOfField(error, field) !== undefined);
  return Object.fromEntries(refused.map((field) => [field, text]));
}
