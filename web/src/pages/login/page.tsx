import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiProblem } from '../../api/problem.ts';
import { problemText } from '../../app/problem-text.ts';
import { useSessionActions } from '../../app/session.ts';
import { Field } from '../../design/field.tsx';
import { Notice } from '../../design/notice.tsx';
import { useI18n } from '../../i18n/i18n.tsx';
import { AuthForm } from './auth-form.tsx';
import { AuthPage } from './auth-page.tsx';
import { checkAccount } from './check-account.ts';
import { PasswordField } from './password-field.tsx';
import { Providers } from './providers.tsx';

export function LoginPage() {
  const { t } = useI18n();
  const { next, error } = useSearch({ from: '/login' });
  const { signIn } = useSessionActions();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  return (
    <AuthPage
      next={next}
      title={t.auth.signIn}
      lead={t.auth.signInLead}
      below={
        <>
          {t.auth.noAccount}{' '}
          <Link
            to="/register"
            search={next === undefined ? {} : { next }}
            className="font-bold underline underline-offset-4"
          >
            {t.auth.register}
          </Link>
        </>
      }
    >
      {error !== undefined && (
        <div className="mb-5">
          <Notice tone="problem">{problemText(new ApiProblem({ code: error, status: 401 }), t).text}</Notice>
        </div>
      )}
      <AuthForm
        submit={t.auth.signIn}
        check={() => checkAccount({ email, password }, t)}
        send={() => signIn({ email: email.trim(), password })}
      >
        {(problems) => (
          <>
            <Field
              label={t.auth.email}
              type="email"
              name="email"
              autoComplete="username"
              maxLength={254}
              value={email}
              onChange={(event) => setEmail(event.target.value)}
              problem={problems.email}
            />
            <PasswordField
              value={password}
              onChange={setPassword}
              problem={problems.password}
              autoComplete="current-password"
            />
          </>
        )}
      </AuthForm>
      <Providers next={next ?? '/'} />
    </AuthPage>
  );
}
