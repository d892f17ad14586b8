import { TabTitle } from '../../app/tab-title.tsx';
import { Button } from '../../design/button.tsx';
import { EmptyState } from '../../design/empty-state.tsx';
import { useI18n } from '../../i18n/i18n.tsx';

/** A fault in a page itself, or a page that could not be fetched. */
export function CrashPage() {
  const { t } = useI18n();
  return (
    <>
      <TabTitle>{t.states.crashTitle}</TabTitle>
      <div role="alert">
        <EmptyState
          level={1}
          title={t.states.crashTitle}
          text={t.states.crashText}
          action={<Button onClick={() => location.reload()}>{t.states.reload}</Button>}
        />
      </div>
    </>
  );
}
