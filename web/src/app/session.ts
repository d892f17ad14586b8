import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { LoginResult } from '../api/client.generated.ts';
import { api } from './api.ts';
import { keepSessionHint, useSessionHint } from './session-hint.ts';

export type User = LoginResult['user'];

/** `checking` knows the name from the last visit, and not yet whether the session still holds. `hasFailed`: nobody could say. */
export type Session =
  | { readonly state: 'anonymous' }
  | { readonly state: 'checking'; readonly name: string; readonly hasFailed: boolean }
  | { readonly state: 'signedIn'; readonly name: string; readonly user: User };

/** By the name that all tabs know: when another tab signs somebody else in, this one asks anew who it is. */
const meKey = (name: string | null) => ['me', name] as const;

export function useSession(): Session {
  const name = useSessionHint();
  const me = useQuery({
    queryKey: meKey(name),
    queryFn: ({ signal }) => api.getMe(undefined, { signal }),
    enabled: name !== null,
    staleTime: 5 * 60_000,
  });
  if (name === null) return { state: 'anonymous' };
  if (me.data === undefined) return { state: 'checking', name, hasFailed: me.isError };
  return { state: 'signedIn', name: me.data.user.name, user: me.data.user };
}

export function useSessionActions() {
  const queries = useQueryClient();
  return useMemo(() => {
    const begin = (user: User) => {
      // What was read as somebody else, or as nobody, is not shown to this user.
      queries.clear();
      queries.setQueryData(meKey(user.name), { user });
      keepSessionHint(user.name);
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
