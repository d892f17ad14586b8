import { useI18n } from '../i18n/i18n.tsx';
import { useFollowedQueues } from '../queue/use-queue.ts';

export interface TabTitleProps {
  readonly children?: string;
  /** The words of the page say already that it is one's turn. */
  readonly saysTurn?: boolean;
}

/** The title of the browser's tab: a turn that has come before all, then the page, since tabs show only the beginning. */
export function TabTitle({ children, saysTurn = false }: TabTitleProps) {
  const { t } = useI18n();
  const hasTurn = useFollowedQueues().some(({ view }) => view.kind === 'turn');
  const parts = [
    ...(hasTurn && !saysTurn ? [t.place.turn] : []),
    ...(children === undefined ? [] : [children]),
    t.brand,
  ];
  return <title>{`${hasTurn ? '● ' : ''}${parts.join(' · ')}`}</title>;
}
