import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useSessionActions } from '../../app/session.ts';
import { Field } from '../../design/field.tsx';
import { useI18n } from '../../i18n/i18n.tsx';
import { AuthForm } from '../login/auth-form.tsx';
import { AuthPage } from '../login/auth-page.tsx';
import { checkAccount } from '../login/check-account.ts';
import { PasswordField } from '../login/password-field.tsx';

export function RegisterPage() {
  const { t } = useI18n();
  const { next } = useSearch({ from: '/register' });
  const { register } = useSessionActions();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  return (
    <AuthPage
      next={next}
      title={t.auth.register}
      lead={t.auth.registerLead}
      below={
        <>
          {t.auth.haveAccount}{' '}
          <Link
            to="/login"
            search={next === undefined ? {} : { next }}
            className="font-bold underline underline-offset-4"
          >
            {t.auth.signIn}
          </Link>
        </>
      }
    >
      <AuthForm
        submit={t.auth.register}
        check={() => checkAccount({ name, email, password }, t)}
        send={() => register({ name: name.trim(), email: email.trim(), password })}
      >
        {(problems) => (
          <>
            <Field
              label={t.auth.name}
              name="name"
              autoComplete="name"
              maxLength={80}
              value={name}
              onChange={(event) => setName(event.target.value)}
              problem={problems.name}
            />
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
              autoComplete="new-password"
              hint={t.auth.passwordHint}
            />
          </>
        )}
      </AuthForm>
    </AuthPage>
  );
}
