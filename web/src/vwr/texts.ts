/** All words of the waiting page, in both languages. A room may say heading and body in its own words (branding). */
export interface Texts {
  readonly switchTo: string;
  readonly heading: string;
  readonly body: string;
  readonly number: string;
  readonly ahead: string;
  readonly wait: string;
  readonly people: (count: string) => string;
  readonly minutes: (seconds: number) => string;
  readonly unknown: string;
  readonly joining: string;
  readonly opening: (time: string) => string;
  readonly early: (time: string) => string;
  readonly entered: string;
  readonly drawing: string;
  readonly paused: string;
  readonly soldOut: string;
  readonly closed: string;
  readonly signIn: string;
  readonly signInGo: string;
  readonly cookies: string;
  readonly busy: string;
  readonly proving: string;
  readonly lost: string;
  readonly back: string;
  readonly turn: string;
  readonly turnBody: string;
  readonly go: string;
  readonly home: string;
  readonly sound: string;
  readonly soundOn: string;
  readonly hint: string;
  readonly fairness: string;
}

export const texts: Readonly<Record<'ko' | 'en', Texts>> = {
  ko: {
    switchTo: 'English',
    heading: '순서를 기다리고 있습니다',
    body: '차례가 되면 자동으로 이동합니다. 이 화면을 열어 두세요.',
    number: '내 번호',
    ahead: '내 앞에',
    wait: '예상 대기 시간',
    people: (count) => `${count}명`,
    minutes: (seconds) => (seconds < 60 ? '1분 미만' : `약 ${Math.round(seconds / 60).toLocaleString('ko')}분`),
    unknown: '아직 알 수 없음',
    joining: '번호를 받고 있습니다…',
    opening: (time) => `${time}에 시작합니다. 미리 와도 먼저 들어가지 않습니다.`,
    early: (time) => `${time}에 입장을 시작합니다. 번호는 그대로입니다.`,
    entered: '추첨에 참여했습니다. 시작 시각에 모두의 순서를 추첨합니다.',
    drawing: '순서를 추첨하고 있습니다. 누구나 검증할 수 있는 공개 난수를 기다립니다.',
    paused: '입장이 잠시 멈췄습니다. 번호는 그대로입니다.',
    soldOut: '매진되었습니다. 더 기다리지 않으셔도 됩니다.',
    closed: '대기실이 닫혔습니다.',
    signIn: '이 추첨은 계정당 한 번 참여합니다. 먼저 로그인해 주세요.',
    signInGo: '로그인',
    cookies: '이 브라우저가 쿠키를 막고 있어 입장할 수 없습니다. 이 사이트의 쿠키를 허용한 뒤 새로고침해 주세요.',
    busy: '접속이 많습니다. 곧 다시 시도합니다.',
    proving: '사람의 접속인지 확인하고 있습니다…',
    lost: '연결이 끊겼습니다. 번호는 그대로이며, 계속 다시 연결하고 있습니다.',
    back: '다시 연결되었습니다.',
    turn: '차례가 되었습니다',
    turnBody: '곧 이동합니다.',
    go: '지금 들어가기',
    home: '처음 화면으로',
    sound: '차례를 소리로 알림',
    soundOn: '소리 알림 켜짐',
    hint: '새로고침하거나 잠시 자리를 비워도 번호는 바뀌지 않습니다.',
    fairness: '추첨과 내 응모권 확인하기',
  },
  en: {
    switchTo: '한국어',
    heading: 'You are in line',
    body: 'You continue by yourself when it is your turn. Keep this page open.',
    number: 'Your number',
    ahead: 'Ahead of you',
    wait: 'Expected wait',
    people: (count) => `${count} ${count === '1' ? 'person' : 'people'}`,
    minutes: (seconds) =>
      seconds < 60 ? 'under a minute' : `about ${Math.round(seconds / 60).toLocaleString('en')} min`,
    unknown: 'Not known yet',
    joining: 'Getting your number…',
    opening: (time) => `It begins at ${time}. Coming early is no advantage.`,
    early: (time) => `Entry begins at ${time}. You keep your number.`,
    entered: 'You are in the draw. The order of everybody is drawn when it begins.',
    drawing: 'The order is being drawn. We wait for public randomness that anyone can verify.',
    paused: 'Entry is paused for a moment. You keep your number.',
    soldOut: 'Sold out. You need not wait any longer.',
    closed: 'The waiting room is closed.',
    signIn: 'This draw takes one entry per account. Please sign in first.',
    signInGo: 'Sign in',
    cookies: 'This browser blocks cookies, so you cannot be let in. Allow cookies for this site and reload.',
    busy: 'It is busy. We try again in a moment.',
    proving: 'Checking that you are not a robot…',
    lost: 'The connection is lost. You keep your number, and we keep trying.',
    back: 'Connected again.',
    turn: 'It is your turn',
    turnBody: 'You continue in a moment.',
    go: 'Enter now',
    home: 'To the start page',
    sound: 'Play a sound at my turn',
    soundOn: 'Sound is on',
    hint: 'Reloading or being away for a while does not change your number.',
    fairness: 'Check the draw and my receipt',
  },
};
