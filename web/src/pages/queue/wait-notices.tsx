import { Notice } from '../../design/notice.tsx';
import { useI18n } from '../../i18n/i18n.tsx';
import type { WaitingView } from '../../queue/queue-view.ts';

/** What the operator says or has done. The region is always there, so that a screen reader hears what is put into it. */
export function OperatorNotices({ view }: { readonly view: WaitingView }) {
  const { t } = useI18n();
  const { message, paused } = view.answer;
  return (
    <div role="status" className="grid gap-3 not-empty:mb-4">
      {typeof message === 'string' && message !== '' && (
        <Notice within="live-region">
          <strong className="mr-2">{t.queue.operator}</strong>
          {message}
        </Notice>
      )}
      {paused === true && (
        <Notice tone="warning" within="live-region">
          {t.queue.paused}
        </Notice>
      )}
    </div>
  );
}

/** Below the ticket, which stays where it is while connections come and go. */
export function ConnectionNotice({ view }: { readonly view: WaitingView }) {
  const { t } = useI18n();
  const lost = view.connection === 'lost';
  return (
    <div role="status" className="not-empty:mt-4">
      {(lost || view.answer.stale === true) && (
        <Notice tone="warning" within="live-region">
          {lost ? t.queue.lost : t.queue.stale}
        </Notice>
      )}
    </div>
  );
}
