import { expect, test } from 'vitest';
import { bankCode, bankName } from './banks.ts';
import { captureVerdict, reasonOf, refundVerdict } from './codes.ts';
import { closedReason, reasonWith, refundIdIn } from './reasons.ts';
import { seoulSecond, tossTimeMs } from './times.ts';

test.each([
  ['REJECT_CARD_COMPANY', 'declined', 'declined'],
  ['INVALID_STOPPED_CARD', 'declined', 'declined'],
  ['REJECT_ACCOUNT_PAYMENT', 'declined', 'insufficient_funds'],
  ['REJECT_CARD_PAYMENT', 'declined', 'insufficient_funds'],
  ['INVALID_CARD_EXPIRATION', 'declined', 'card_expired'],
  ['EXCEED_MAX_PAYMENT_AMOUNT', 'declined', 'limit_exceeded'],
  ['PAY_PROCESS_CANCELED', 'declined', 'cancelled_by_buyer'],
  ['INVALID_CARD_NUMBER', 'declined', 'not_supported'],
  ['NOT_FOUND_PAYMENT_SESSION', 'refused', 'cancelled_by_buyer'],
  ['NOT_FOUND_PAYMENT', 'refused', 'declined'],
  ['ALREADY_PROCESSED_PAYMENT', 'look', 'declined'],
  ['A_CODE_OF_TOMORROW', 'look', 'declined'],
  ['PROVIDER_ERROR', 'unknown', 'declined'],
  ['FAILED_PAYMENT_INTERNAL_SYSTEM_PROCESSING', 'unknown', 'declined'],
  ['IDEMPOTENT_REQUEST_PROCESSING', 'unknown', 'declined'],
  ['UNAUTHORIZED_KEY', 'unknown', 'declined'],
])('a capture that is answered by %s is %s, and a buyer reads: %s', (code, verdict, reason) => {
  expect([captureVerdict(code), reasonOf(code)]).toEqual([verdict, reason]);
});

test.each([
  ['ALREADY_CANCELED_PAYMENT', 'look'],
  ['NOT_CANCELABLE_AMOUNT', 'look'],
  ['NOT_MATCHES_REFUNDABLE_AMOUNT', 'look'],
  ['REFUND_REJECTED', 'refused'],
  ['EXCEED_MAX_REFUND_DUE', 'refused'],
  ['INVALID_REFUND_ACCOUNT_INFO', 'refused'],
  ['PROVIDER_ERROR', 'later'],
  ['NOT_AVAILABLE_BANK', 'later'],
  ['UNAUTHORIZED_KEY', 'later'],
  ['FAILED_REFUND_PROCESS', 'unknown'],
  ['A_CODE_OF_TOMORROW', 'unknown'],
])('a refund that is answered by %s is %s', (code, verdict) => {
  expect(refundVerdict(code)).toBe(verdict);
});

test('a reason carries the id of its refund, however long it is', () => {
  const id = '0190b3c2-7a51-7cc1-8f00-2a6f6f1f0a11';
  for (const reason of ['', 'fell ill', 'x'.repeat(500), `[refund ${id}] said the buyer`]) {
    const sent = reasonWith(reason, id);
    expect(sent.length).toBeLessThanOrEqual(200);
    expect(refundIdIn(sent)).toBe(id);
  }
  for (const foreign of ['', 'at the console', closedReason]) expect(refundIdIn(foreign)).toBeNull();
});

test('times are of Seoul, whether they say so or not', () => {
  const ms = Date.parse('2026-11-18T12:04:05.000Z');
  for (const text of ['2026-11-18T21:04:05+09:00', '2026-11-18T21:04:05', '2026-11-18T12:04:05Z'])
    expect(tossTimeMs(text)).toBe(ms);
  expect(seoulSecond(ms + 999)).toBe('2026-11-18T21:04:05');
});

test('a bank is known by its code and by its name', () => {
  for (const written of ['88', '088', '신한은행', '신한', ' 신한 은행 ']) expect(bankCode(written)).toBe('88');
  for (const written of ['KB국민은행', '국민']) expect(bankCode(written)).toBe('06');
  expect([bankCode('a bank of tomorrow'), bankName('88'), bankName('77')]).toEqual([
    'a bank of tomorrow',
    '신한은행',
    '77',
  ]);
});
