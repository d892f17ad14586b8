import { clockText } from '../design/time-parts.ts';
import type { I18n } from '../i18n/i18n.tsx';
import type { QueueView } from './queue-view.ts';

/** Where one stands, in a few words: on a bar, on a button. Empty where there is nothing to say of it. */
export function placeWords(view: QueueView, nowMs: number, { t, format }: I18n): string {
  if (view.kind === 'waiting') return t.place.inLine(format.count(view.position));
  if (view.kind === 'entering') return t.place.lining;
  if (view.kind === 'turn') {
    return view.slotEndsAtMs === null ? t.place.turn : t.place.turnLeft(clockText(view.slotEndsAtMs - nowMs));
  }
  if (view.kind === 'closed') return t.queue.closed;
  if (view.kind === 'gone') return view.why === 'over' ? t.queue.slotOver : t.queue.gone[view.why].title;
  return '';
}
