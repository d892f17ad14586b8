import { Notice } from '../../design/notice.tsx';
import { useI18n } from '../../i18n/i18n.tsx';
import type { WaitingView } from '../../queue/queue-view.ts';

/** What the operator says, and whatever makes this wait unlike others. */
export function WaitNotices({ view }: { readonly view: WaitingView }) {
  const { t } = useI18n();
  const { message, paused, stale } = view.answer;
  const lost = view.connection === 'lost';
  return (
    <div className="grid gap-3 not-empty:mb-4">
      {typeof message === 'string' && message !== '' && (
        <Notice>
          <strong className="mr-2">{t.queue.operator}</strong>
          {message}
        </Notice>
      )}
      {paused === true && <Notice tone="warning">{t.queue.paused}</Notice>}
      {lost && <Notice tone="warning">{t.queue.lost}</Notice>}
      {!lost && stale === true && <Notice tone="warning">{t.queue.stale}</Notice>}
    </div>
  );
}
