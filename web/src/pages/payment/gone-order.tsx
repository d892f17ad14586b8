import { TabTitle } from '../../app/tab-title.tsx';
import { EmptyState } from '../../design/empty-state.tsx';
import { usePurchaseWords } from '../../i18n/purchase/words.tsx';
import { ToReservations } from './to-reservations.tsx';

/** There is no such order, or it is somebody else's: which of them is nobody's business. */
export function GoneOrder() {
  const { pay } = usePurchaseWords();
  return (
    <>
      <TabTitle>{pay.gone.title}</TabTitle>
      <EmptyState level={1} title={pay.gone.title} text={pay.gone.text} action={<ToReservations isMain />} />
    </>
  );
}
