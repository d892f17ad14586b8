import { onlineManager } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { useI18n } from '../i18n/i18n.tsx';

/** The region is always there, so that a screen reader hears what is put into it. */
export function OfflineBar() {
  const { t } = useI18n();
  const online = useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  );
  return (
    <div role="status">
      {!online && (
        <p className="bg-amber-wash px-4 py-2.5 text-center font-bold text-amber text-meta">{t.shell.offline}</p>
      )}
    </div>
  );
}
