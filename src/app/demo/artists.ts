import { demoId } from './ids.ts';

/** Nobody of this name performs anywhere, as far as we know. */
export const demoArtists = {
  airship: {
    id: demoId('artist', 1),
    name: '종이비행선',
    nameEn: 'Paper Airship',
    description: '느린 기타와 긴 여운. 네 사람이 만드는 모던 록 밴드.',
    imageUrl: null,
  },
  hourglass: {
    id: demoId('artist', 2),
    name: '모래시계단',
    nameEn: 'The Hourglass Company',
    description: '열두 명이 한 몸처럼 움직이는 퍼포먼스 그룹.',
    imageUrl: null,
  },
  mailbox: {
    id: demoId('artist', 3),
    name: '느린우체통',
    nameEn: 'Slow Mailbox',
    description: '편지를 읽듯 노래하는 어쿠스틱 듀오.',
    imageUrl: null,
  },
  hardware: {
    id: demoId('artist', 4),
    name: '은하철물점',
    nameEn: 'Galaxy Hardware',
    description: '고장 난 신시사이저를 모으는 일렉트로닉 트리오.',
    imageUrl: null,
  },
} as const;

export type DemoArtistName = keyof typeof demoArtists;
