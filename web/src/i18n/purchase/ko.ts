import type { Translated } from '../ko.ts';
import { koPay } from './ko-pay.ts';

/** Words for what comes after choosing: paying, bookings, tickets. The pages that need them fetch them beside themselves. */
export const koPurchase = {
  /** By problem code, beside those that every page knows. */
  problems: {
    PAYMENT_DECLINED: '결제가 승인되지 않았습니다. 다른 카드로 다시 결제해 주세요.',
    ORDER_PAID: '이미 결제된 주문입니다. 다시 결제되지 않았습니다.',
    AMOUNT_MISMATCH: '금액이 주문과 다릅니다. 결제된 금액은 없습니다. 다시 시도해 주세요.',
    METHOD_MISMATCH: '결제 수단이 바뀌었습니다. 다시 눌러 주세요.',
    REFUND_ACCOUNT_NEEDED: '환불받을 계좌를 넣어 주세요.',
    PROVIDER_UNAVAILABLE: '결제사가 잠시 응답하지 않습니다. 결제된 금액은 없고 자리는 그대로이니 다시 눌러 주세요.',
  },
  pay: koPay,
  bookings: {
    tabs: { upcoming: '다가오는 공연', past: '지난 공연', cancelled: '취소·만료' },
    empty: {
      upcoming: { title: '예매한 공연이 없습니다', text: '예매하면 이곳에서 확인하고 취소하실 수 있습니다.' },
      past: { title: '지난 공연이 없습니다', text: '다녀오신 공연이 이곳에 남습니다.' },
      cancelled: { title: '취소한 예매가 없습니다', text: '취소하거나 시간이 지난 예매가 이곳에 남습니다.' },
    },
    status: {
      pending: '선점 중',
      paying: '결제 확인 중',
      waiting_for_deposit: '입금 대기',
      confirmed: '예매 확정',
      partially_cancelled: '일부 취소',
      cancelled: '취소됨',
      expired: '시간 만료',
      released: '선점 포기',
    },
    payment: {
      none: '',
      pending: '',
      paid: '결제 완료',
      refund_requested: '환불 접수됨',
      partially_refunded: '일부 환불됨',
      refunded: '환불 완료',
    },
    free: '무료',
    booked: '예매 일시',
    continue: '이어서 하기',
    showTickets: '티켓 보기',
    cancel: '예매 취소',
    cancelTitle: '예매를 취소하시겠습니까?',
    cancelText: '취소한 티켓으로는 입장할 수 없고, 자리는 다른 분이 살 수 있게 됩니다.',
    refundText: '결제하신 금액의 환불은 접수된 뒤 이 화면에 상태가 보입니다.',
    choose: '취소할 티켓',
    cancelCount: (count: string) => `${count}매 취소하기`,
    keepBooking: '취소하지 않기',
    cancelled: '취소했습니다.',
    eventCancelled: '공연 취소',
    reasons: {
      checked_in: '입장 완료',
      listed: '양도 등록 중',
      void: '취소됨',
    },
  },
  tickets: {
    empty: '아직 티켓이 없습니다',
    emptyText: '예매가 확정되면 QR 티켓이 이곳에 나옵니다.',
    find: '공연 찾아보기',
    of: (index: string, count: string) => `${count}장 중 ${index}번째`,
    previous: '이전 티켓',
    next: '다음 티켓',
    qr: (seat: string) => `${seat} 입장용 QR 코드`,
    qrFailed: 'QR 코드를 불러오지 못했습니다.',
    noQr: '이 티켓으로는 입장할 수 없습니다.',
    show: '입장할 때 이 QR 코드를 보여 주세요. 화면은 켜진 채로 있습니다.',
    doors: '입장 시작',
    starts: '공연 시작',
    venue: '장소',
    seat: '자리',
    number: '예매 번호',
    state: { issued: '입장 가능', listed: '양도 등록 중', checked_in: '입장 완료', void: '취소됨' },
    checkedIn: (time: string) => `${time}에 입장하셨습니다.`,
    keptOffline: (time: string) => `연결이 없어 ${time}에 저장한 티켓을 보여 드립니다.`,
    print: '인쇄하기',
    past: '지난 티켓과 취소된 티켓',
  },
} as const;

export type PurchaseWords = Translated<typeof koPurchase>;
