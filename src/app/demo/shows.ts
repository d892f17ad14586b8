import type { EventStatus } from '#modules/catalog/contract.ts';
import type { EventDraft, EventTimes } from '#modules/catalog/index.ts';
import type { DemoArtistName } from './artists.ts';
import { demoId } from './ids.ts';
import type { DemoVenueName } from './venues.ts';

export interface DemoShow {
  readonly id: string;
  readonly artist: DemoArtistName;
  readonly venue: DemoVenueName;
  /** What it is there to show. When time has carried it past that, its dates are moved. */
  readonly status: EventStatus;
  readonly times: (nowMs: number) => EventTimes;
  readonly facts: Partial<EventDraft> & Pick<EventDraft, 'title' | 'titleEn' | 'description' | 'descriptionEn'>;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const seoulOffsetMs = 9 * hourMs;

/** So many days from now, at this hour in Seoul. */
function seoulTime(nowMs: number, days: number, hour: number): number {
  const midnight = Math.floor((nowMs + seoulOffsetMs) / dayMs) * dayMs - seoulOffsetMs;
  return midnight + days * dayMs + hour * hourMs;
}

/** Doors an hour before the show, and the sale until then. */
function show(startsAt: number, saleOpensAt: number, phases: EventTimes['phases'] = []): EventTimes {
  return { startsAt, doorsAt: startsAt - hourMs, saleOpensAt, saleClosesAt: startsAt - hourMs, phases };
}

const seatPrices = [
  { grade: 'VIP', priceKrw: 165_000 },
  { grade: 'R', priceKrw: 143_000 },
  { grade: 'S', priceKrw: 121_000 },
  { grade: 'A', priceKrw: 99_000 },
];

export const demoShows: readonly DemoShow[] = [
  {
    id: demoId('event', 1),
    artist: 'airship',
    venue: 'hall',
    status: 'on_sale',
    times: (now) => show(seoulTime(now, 30, 19), seoulTime(now, -1, 20)),
    facts: {
      title: '종이비행선 단독 콘서트 〈먼 데서 온 바람〉',
      titleEn: 'Paper Airship: Wind from Afar',
      description: '3집 발매를 기념하는 단독 공연. 현악 5중주와 함께합니다.',
      descriptionEn: 'A concert for their third album, with a string quintet.',
      prices: seatPrices,
    },
  },
  {
    id: demoId('event', 2),
    artist: 'hardware',
    venue: 'club',
    status: 'on_sale',
    times: (now) => show(seoulTime(now, 21, 20), seoulTime(now, -2, 20)),
    facts: {
      title: '은하철물점 스탠딩 나이트',
      titleEn: 'Galaxy Hardware: Standing Night',
      description: '새벽까지 이어지는 스탠딩 공연. 19세 이상 관람가.',
      descriptionEn: 'A standing show into the small hours. Adults only.',
      standingPrices: [
        { areaId: 'A', priceKrw: 77_000 },
        { areaId: 'B', priceKrw: 66_000 },
      ],
      purchaseLimit: 2,
    },
  },
  {
    id: demoId('event', 3),
    artist: 'hourglass',
    venue: 'arena',
    status: 'announced',
    times: (now) => show(seoulTime(now, 45, 18), Math.ceil((now + 10 * minuteMs) / minuteMs) * minuteMs),
    facts: {
      title: '모래시계단 월드투어 인 서울',
      titleEn: 'The Hourglass Company World Tour in Seoul',
      description: '곧 예매가 열립니다. 대기열을 거쳐 입장합니다.',
      descriptionEn: 'The sale opens shortly. There will be a queue.',
      prices: seatPrices,
      hot: true,
      queueThreshold: 500,
    },
  },
  {
    id: demoId('event', 4),
    artist: 'mailbox',
    venue: 'hall',
    status: 'announced',
    times: (now) => {
      const opens = seoulTime(now, 14, 20);
      return show(seoulTime(now, 60, 17), opens, [
        { tier: 'diamond', opensAt: opens },
        { tier: 'gold', opensAt: opens + dayMs },
        { tier: 'silver', opensAt: opens + 2 * dayMs },
        { tier: 'general', opensAt: opens + 3 * dayMs },
      ]);
    },
    facts: {
      title: '느린우체통 〈겨울 답장〉',
      titleEn: 'Slow Mailbox: Winter Replies',
      description: '멤버십 등급별 선예매 후 일반 예매가 시작됩니다.',
      descriptionEn: 'Members first, by tier; then everybody.',
      prices: seatPrices,
    },
  },
  {
    id: demoId('event', 5),
    artist: 'mailbox',
    venue: 'club',
    status: 'sold_out',
    times: (now) => show(seoulTime(now, 10, 19), seoulTime(now, -7, 20)),
    facts: {
      title: '느린우체통 소극장 공연 〈엽서〉',
      titleEn: 'Slow Mailbox: Postcards',
      description: '가까이에서 듣는 두 사람의 목소리.',
      descriptionEn: 'Two voices, up close.',
      standingPrices: [
        { areaId: 'A', priceKrw: 55_000 },
        { areaId: 'B', priceKrw: 44_000 },
      ],
    },
  },
  {
    id: demoId('event', 6),
    artist: 'airship',
    venue: 'hall',
    status: 'ended',
    times: (now) => show(seoulTime(now, -20, 19), seoulTime(now, -60, 20)),
    facts: {
      title: '종이비행선 어쿠스틱 라이브',
      titleEn: 'Paper Airship: Acoustic Live',
      description: '지난 공연입니다. 함께해 주셔서 고맙습니다.',
      descriptionEn: 'This show is over. Thank you for coming.',
      prices: seatPrices,
    },
  },
];
