import { Navigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isProblem } from '../../api/problem.ts';
import { TabTitle } from '../../app/tab-title.tsx';
import { EmptyState } from '../../design/empty-state.tsx';
import { usePurchaseWords } from '../../i18n/purchase/words.tsx';
import { ToReservations } from './to-reservations.tsx';

/** What is shown instead of an order that cannot be read, or no longer: who read it may have signed out in another tab. Null: the order. */
export function insteadOfOrder(error: Error | null, next: string): ReactNode {
  if (!isProblem(error)) return null;
  if (error.status === 401) return <Navigate to="/login" search={{ next }} replace />;
  return error.status === 404 || error.status === 400 ? <GoneOrder /> : null;
}

/** There is no such order, or it is somebody else's: which of them is nobody's business. */
function GoneOrder() {
  const { pay } = usePurchaseWords();
  return (
    <>
      <TabTitle>{pay.gone.title}</TabTitle>
      <EmptyState level={1} title={pay.gone.title} text={pay.gone.text} action={<ToReservations isMain />} />
    </>
  );
}
