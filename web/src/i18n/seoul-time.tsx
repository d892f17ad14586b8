import { useI18n } from './i18n.tsx';

/** A moment in Seoul, and beside it the viewer's own time when that differs. */
export function SeoulTime({ at, show = 'dateTime' }: { readonly at: string; readonly show?: 'dateTime' | 'date' }) {
  const { format, t } = useI18n();
  const ms = Date.parse(at);
  const viewer = show === 'dateTime' ? format.viewerTime(ms) : null;
  return (
    <time dateTime={at}>
      {format[show](ms)}
      {viewer !== null && (
        <span className="block font-normal text-ink-soft text-meta">
          {t.common.viewerTime(viewer.time, viewer.offset)}
        </span>
      )}
    </time>
  );
}
