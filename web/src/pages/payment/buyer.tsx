import { useSession } from '../../app/session.ts';
import { Card } from '../../design/card.tsx';
import { usePurchaseWords } from '../../i18n/purchase/words.tsx';

export function Buyer() {
  const w = usePurchaseWords();
  const session = useSession();
  return (
    <Card className="mt-5 p-5 sm:p-6">
      <h2 className="font-bold text-lead">{w.pay.buyer}</h2>
      <p className="mt-2 min-h-[1.65em]">
        {session.state === 'signedIn' && (
          <>
            <span className="font-bold">{session.user.name}</span>{' '}
            <span className="text-ink-soft">{session.user.email}</span>
          </>
        )}
      </p>
    </Card>
  );
}
