import { expect, test } from 'vitest';
import { ticketingRoutes } from '#modules/ticketing/contract.ts';
import { ApiProblem } from '../../web/src/api/problem.ts';
import { holdWords } from '../../web/src/booking/hold-words.ts';
import { en } from '../../web/src/i18n/en.ts';
import { createFormats } from '../../web/src/i18n/formats.ts';
import { ko } from '../../web/src/i18n/ko.ts';

const languages = {
  ko: { t: ko, format: createFormats('ko', 'Asia/Seoul') },
  en: { t: en, format: createFormats('en', 'Asia/Seoul') },
};

/** What the page says to do when a hold is refused, or what is held can no longer be changed, by code. */
const advice: Readonly<Record<string, { readonly more?: object; readonly ko: string; readonly en: string }>> = {
  SEAT_TAKEN: { more: { taken: ['A-1-1'] }, ko: '다른 좌석을 골라 주세요', en: 'choose others' },
  SEATS_BUSY: { ko: '다시 누르거나 다른 좌석을', en: 'Press again in a moment, or choose others' },
  NOT_ENOUGH_LEFT: { ko: '매수를 줄이거나 다른 구역을', en: 'Ask for fewer, or choose another area' },
  NOTHING_FITS: { ko: '조건을 바꿔 보세요', en: 'Try others' },
  PURCHASE_LIMIT: { more: { limit: 4, have: 3 }, ko: '지금 3매를 갖고', en: 'You have 3, and one person may have 4' },
  SALE_NOT_OPEN: { more: { opensAt: '2030-01-01T11:00:00Z' }, ko: '오후 8:00에 열립니다', en: 'It opens' },
  SALE_OVER: { ko: '내 예매에서 확인하세요', en: 'under My bookings' },
  TIER_NOT_OPEN: { more: { opensAt: null }, ko: '예매 일정을 확인해 주세요', en: 'The event page says when' },
  SEATS_NOT_READY: { ko: '잠시 뒤 다시 눌러 주세요', en: 'press again in a moment' },
  HOLDS_BUSY: { ko: '잠시 뒤 다시 눌러 주세요', en: 'press again in a moment' },
  NOT_FOUND: { ko: '다시 골라 주세요', en: 'choose again' },
  IDEMPOTENCY_IN_FLIGHT: { ko: '잠시 뒤 다시 눌러 주세요', en: 'press again in a moment' },
  IDEMPOTENCY_MISMATCH: { ko: '다시 눌러 주세요', en: 'press again' },
  RESERVATION_EXPIRED: { ko: '다시 골라 주세요', en: 'choose again' },
  RESERVATION_CLOSED: { ko: '내 예매에서 상태를 확인해 주세요', en: 'My bookings shows its state' },
  PAYMENT_NEEDED: { ko: '결제 화면에서 이어 주세요', en: 'on the payment page' },
  REFUND_CHANGED: { ko: '새 금액을 확인하고', en: 'Look at the new amount' },
  NOT_CANCELLABLE: { ko: '취소할 수 없습니다', en: 'can no longer be cancelled' },
};

test('every refusal of a hold, of its confirmation and of its end has words of its own', () => {
  const { reserveSeats, reserveBestAvailable, reserveStanding, confirmReservation, cancelReservation } =
    ticketingRoutes;
  const routes = [reserveSeats, reserveBestAvailable, reserveStanding, confirmReservation, cancelReservation];
  const codes = new Set<string>(routes.flatMap(({ problems }) => problems));
  expect([...codes].sort()).toEqual(Object.keys(advice).sort());
});

test.each(Object.entries(advice))(
  '%s says what to do next, in Korean and in English',
  (code, { more = {}, ...words }) => {
    const problem = new ApiProblem({ code, status: 409, document: { ...more } });
    for (const language of ['ko', 'en'] as const) {
      const said = holdWords(problem, languages[language]);
      expect(said).toContain(words[language]);
      expect(said).not.toContain(languages[language].t.problems.fallback);
    }
  },
);
