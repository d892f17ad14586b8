import type { Messages } from '../../i18n/ko.ts';

export type AccountField = 'name' | 'email' | 'password';
export type AccountProblems = { readonly [Field in AccountField]?: string };

/** The server decides; this only spares a round trip for what anybody can see is wrong. */
const passwordLengthMin = 8;

export function checkAccount(
  account: { readonly name?: string; readonly email: string; readonly password: string },
  t: Messages,
): AccountProblems {
  const registering = account.name !== undefined;
  return {
    ...(account.name?.trim() === '' && { name: t.auth.required }),
    ...(account.email.trim() === ''
      ? { email: t.auth.required }
      : !/^[^\s@]+@[^\s@]+$/.test(account.email.trim()) && { email: t.auth.badEmail }),
    ...(account.password === ''
      ? { password: t.auth.required }
      : registering && [...account.password].length < passwordLengthMin && { password: t.auth.shortPassword }),
  };
}
