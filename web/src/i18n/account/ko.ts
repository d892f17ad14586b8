import type { Translated } from '../ko.ts';

/** Words of the account page alone. */
export const koAccount = {
  title: '내 정보',
  greeting: (name: string) => `${name}님, 안녕하세요`,
  account: '계정',
  role: '구분',
  roles: { buyer: '구매자', seller: '판매자', operator: '운영자', admin: '관리자' },
  settings: '화면 설정',
  language: '언어',
  theme: '화면 모드',
  themes: { system: '기기 설정', light: '밝게', dark: '어둡게' },
  data: '내 데이터',
  dataText: '우르르에 저장된 내 정보를 모두 파일 하나로 받아 볼 수 있습니다.',
  download: '내 데이터 받기',
  leaveText: '계정을 삭제하면 되돌릴 수 없습니다.',
  leave: '계정 삭제',
  leaveTitle: '계정을 삭제할까요?',
  leaveDialogText: '바로 모든 기기에서 로그아웃되고, 다시 로그인할 수 없습니다. 되돌릴 수 없습니다.',
  goesTitle: '지워지는 것',
  goes: '이름, 이메일, 비밀번호, 로그인 연결, 환불 계좌, 대기열 순서',
  staysTitle: '남는 것',
  stays: '예매와 결제 금액 기록. 누구의 것인지 알 수 없는 번호로만 남습니다.',
  stay: '계정 유지',
  obstacles: {
    live_holds: '선점한 좌석이 있습니다. 선점을 취소하거나 시간이 끝나기를 기다려 주세요.',
    money_under_way: '결제나 환불이 진행 중입니다. 끝난 뒤에 삭제할 수 있습니다.',
    tickets_to_come: '아직 열리지 않은 공연의 티켓이 있습니다. 예매를 취소하거나 공연이 끝난 뒤에 삭제할 수 있습니다.',
    events_to_come: '공개된 공연이 있습니다. 공연을 취소하거나 끝난 뒤에 삭제할 수 있습니다.',
  },
} as const;

export type AccountWords = Translated<typeof koAccount>;
