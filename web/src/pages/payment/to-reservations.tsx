import { Link } from '@tanstack/react-router';
import { buttonClass } from '../../design/button.tsx';
import { usePurchaseWords } from '../../i18n/purchase/words.tsx';
import { textLink } from './layout.ts';

export function ToReservations({ isMain = false }: { readonly isMain?: boolean }) {
  const { pay } = usePurchaseWords();
  return (
    <Link to="/my/reservations" className={isMain ? buttonClass() : textLink}>
      {pay.toReservations}
    </Link>
  );
}
