import type { DeclineReason } from '../../domain/declines.ts';
import type { SandboxDecline } from '../../domain/sandbox-cards.ts';

const ofCards: Readonly<Record<SandboxDecline, DeclineReason>> = {
  CARD_DECLINED: 'declined',
  INSUFFICIENT_FUNDS: 'insufficient_funds',
  CARD_EXPIRED: 'card_expired',
  LIMIT_EXCEEDED: 'limit_exceeded',
  CARD_NOT_SUPPORTED: 'not_supported',
};

const reasons = new Map<string, DeclineReason>([
  ...(Object.entries(ofCards) as [string, DeclineReason][]),
  ['PAYMENT_CLOSED', 'cancelled_by_buyer'],
  ['PAYMENT_EXPIRED', 'cancelled_by_buyer'],
]);

export function reasonOf(code: string): DeclineReason {
  return reasons.get(code) ?? 'declined';
}
