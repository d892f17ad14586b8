import { Badge, type Tone } from '../design/badge.tsx';
import { useI18n } from '../i18n/i18n.tsx';
import type { EventStatus } from './event-types.ts';

export function StatusBadge({ status }: { readonly status: EventStatus }) {
  const { t } = useI18n();
  return (
    <Badge tone={tones[status]}>
      {status === 'on_sale' && <span aria-hidden="true" className="size-1.5 rounded-full bg-current" />}
      {t.status[status]}
    </Badge>
  );
}

const tones: Readonly<Record<EventStatus, Tone>> = {
  draft: 'plain',
  announced: 'indigo',
  on_sale: 'jade',
  sold_out: 'seal',
  ended: 'plain',
  cancelled: 'amber',
};
