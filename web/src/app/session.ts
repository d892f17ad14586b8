import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { LoginResult } from '../api/client.generated.ts';
import { api } from './api.ts';
import { keepSessionHint, knownHint, type SessionHint, useSessionHint } from './session-hint.ts';

export type User = LoginResult['user'];

/** `checking` knows the name from the last visit, and not yet whether the session still holds. `hasFailed`: nobody could say. */
export type Session =
  | { readonly state: 'anonymous' }
  | { readonly state: 'checking'; readonly name: string; readonly hasFailed: boolean }
  | { readonly state: 'signedIn'; readonly name: string; readonly user: User };

/** By the user that all tabs know: when another tab signs somebody else in, this one asks anew who it is. */
const meKey = (hint: SessionHint | null) => ['me', hint?.id ?? null] as const;

export function useSession(): Session {
  const hint = useSessionHint();
  const queries = useQueryClient();
  const me = useQuery({
    queryKey: meKey(hint),
    queryFn: async ({ signal }) => {
      const answer = await api.getMe(undefined, { signal });
      // Somebody who signed in elsewhere, or another one than this page knew: from now on all tabs know.
      if (hint !== null && hint === knownHint() && hint.id !== answer.user.id) {
        queries.setQueryData(meKey(answer.user), answer);
        keepSessionHint(answer.user);
      }
      return answer;
    },
    enabled: hint !== null,
    staleTime: 5 * 60_000,
  });
  if (hint === null) return { state: 'anonymous' };
  if (me.data === undefined) return { state: 'checking', name: hint.name, hasFailed: me.isError };
  return { state: 'signedIn', name: me.data.user.name, user: me.data.user };
}

export function useSessionActions() {
  const queries = useQueryClient();
  return useMemo(() => {
    const begin = (user: User) => {
      // What was read as somebody else, or as nobody, is not shown to this user.
      queries.clear();
      queries.setQueryData(meKey(user), { user });
      keepSessionHint(user);
    };
    return {
      async signIn(credentials: { readonly email: string; readonly password: string }) {
        begin((await api.login({ body: credentials })).user);
      },
      async register(account: { readonly email: string; readonly password: string; readonly name: string }) {
        await api.register({ body: account });
        begin((await api.login({ body: { email: account.email, password: account.password } })).user);
      },
      /** The account is gone with its sessions. */
      async leave(body: { readonly password?: string }) {
        await api.deleteMe({ body });
        keepSessionHint(null);
        queries.clear();
      },
      async signOut() {
        await api.logout();
        keepSessionHint(null);
        queries.clear();
      },
    };
  }, [queries]);
}
