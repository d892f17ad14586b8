import type { Check } from '#edge/draw/verify.ts';

/** Words of the page around the verdict; those of the checks are the command's as well. */
export interface Texts {
  readonly switchTo: string;
  readonly heading: string;
  readonly intro: string;
  readonly files: string;
  readonly looking: string;
  readonly found: string;
  readonly none: string;
  readonly away: string;
  readonly wrong: (field: string) => string;
  readonly tooLarge: string;
  readonly drawFile: string;
  readonly receiptFound: string;
  readonly receiptNone: string;
  readonly receiptFile: string;
  readonly keepDraw: string;
  readonly keepReceipt: string;
  readonly result: string;
  readonly number: (number: string) => string;
  readonly outcome: Readonly<Record<Check['outcome'], string>>;
  readonly ownCode: string;
}

export const texts: Readonly<Record<'ko' | 'en', Texts>> = {
  ko: {
    switchTo: 'English',
    heading: '추첨 검증',
    intro: '공개된 추첨과 내 응모권을 이 브라우저에서 직접 계산해 확인합니다. 서버의 판정을 믿지 않아도 됩니다.',
    files: '확인할 것',
    looking: '공개된 추첨을 불러오고 있습니다…',
    found: '공개된 추첨을 불러왔습니다.',
    none: '이 이벤트에는 공개된 추첨이 없습니다. 받아 둔 파일이 있으면 여기서 확인할 수 있습니다.',
    away: '공개된 추첨을 불러오지 못했습니다. 받아 둔 파일이 있으면 여기서 확인할 수 있습니다.',
    wrong: (field) => `이 파일은 읽을 수 없습니다: ${field}`,
    tooLarge: '파일이 너무 큽니다.',
    drawFile: '다른 추첨 파일',
    receiptFound: '이 브라우저에 내 응모권이 있습니다.',
    receiptNone: '이 브라우저에는 응모권이 없습니다. 추첨만 확인합니다.',
    receiptFile: '다른 응모권 파일',
    keepDraw: '추첨 파일 저장',
    keepReceipt: '내 응모권 저장',
    result: '결과',
    number: (number) => `내 번호 ${number}`,
    outcome: { passed: '맞음', failed: '틀림', open: '아직', unchecked: '직접 확인' },
    ownCode: '다른 방법으로도 확인할 수 있습니다: urr verify-draw, 또는 공개된 규칙과 예제 값으로 직접 만든 검증기.',
  },
  en: {
    switchTo: '한국어',
    heading: 'Check the draw',
    intro:
      'This browser works out the published draw and your receipt by itself. You need not believe what a server says.',
    files: 'What is checked',
    looking: 'Fetching the published draw…',
    found: 'The published draw is here.',
    none: 'No draw is published for this event. If you kept a file, it can be checked here.',
    away: 'The published draw cannot be fetched now. If you kept a file, it can be checked here.',
    wrong: (field) => `This file cannot be read: ${field}`,
    tooLarge: 'This file is too large.',
    drawFile: 'Another draw file',
    receiptFound: 'This browser has your receipt.',
    receiptNone: 'This browser has no receipt. Only the draw is checked.',
    receiptFile: 'Another receipt file',
    keepDraw: 'Save the draw',
    keepReceipt: 'Save my receipt',
    result: 'Result',
    number: (number) => `Your number is ${number}`,
    outcome: { passed: 'Holds', failed: 'Wrong', open: 'Not yet', unchecked: 'Look yourself' },
    ownCode:
      'There are other ways to check: urr verify-draw, or a verifier of your own after the published rules and golden values.',
  },
};
