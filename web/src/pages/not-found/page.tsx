import { Link } from '@tanstack/react-router';
import { TabTitle } from '../../app/tab-title.tsx';
import { buttonClass } from '../../design/button.tsx';
import { EmptyState } from '../../design/empty-state.tsx';
import { useI18n } from '../../i18n/i18n.tsx';

/** Said of an address, or of an event that does not exist (any more). */
export function NotFoundPage({ what = 'page' }: { readonly what?: 'page' | 'event' }) {
  const { t } = useI18n();
  const title = what === 'event' ? t.states.eventNotFound : t.states.notFound;
  return (
    <>
      <TabTitle>{title}</TabTitle>
      <EmptyState
        level={1}
        title={title}
        text={what === 'event' ? t.states.eventNotFoundText : t.states.notFoundText}
        action={
          <>
            <Link to="/" className={buttonClass()}>
              {t.common.backHome}
            </Link>
            <Link to="/search" className={buttonClass({ look: 'secondary' })}>
              {t.shell.search}
            </Link>
          </>
        }
      />
    </>
  );
}
