import { useQuery } from '@tanstack/react-query';
import { api } from '../../app/api.ts';
import { keepSessionHint } from '../../app/session-hint.ts';
import { buttonClass } from '../../design/button.tsx';
import { useI18n } from '../../i18n/i18n.tsx';

/** Sign-in with an account kept elsewhere, where the operator has set that up. */
export function Providers({ next }: { readonly next: string }) {
  const { t } = useI18n();
  const providers = useQuery({
    queryKey: ['sign-in-providers'],
    queryFn: ({ signal }) => api.listSignInProviders(undefined, { signal }),
  });
  const items = providers.data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <div className="mt-6 flex flex-col gap-3 border-line border-t pt-6">
      {items.map(({ id, label }) => (
        <a
          key={id}
          href={`/api/auth/oidc/${encodeURIComponent(id)}/start?returnTo=${encodeURIComponent(next)}`}
          // Anyone who comes back signed in must be asked who they are; `/api/auth/me` then has the last word.
          onClick={() => keepSessionHint({ id: null, name: '' })}
          className={buttonClass({ look: 'secondary', wide: true })}
        >
          {t.auth.continueWith(label)}
        </a>
      ))}
    </div>
  );
}
