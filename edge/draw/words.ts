import type { Check, CheckId, Verdict } from './verify.ts';

/** What was checked, in plain words: the same for the command and for the page. */
export type Language = 'ko' | 'en';

export function sayVerdict(verdict: Verdict, language: Language): string {
  return verdicts[language][verdict.outcome];
}

export function sayCheck({ id, outcome, facts }: Check, language: Language): string {
  const say = sentences[language][id][outcome] ?? sentences[language][id].failed ?? id;
  return say.replaceAll(/\{(\w+)\}/g, (_, name: string) => factText(name, facts[name], language));
}

function factText(name: string, fact: string | number | undefined, language: Language): string {
  if (fact === undefined) return '?';
  if (name === 'reason') return reasons[language][String(fact)] ?? String(fact);
  if (name.endsWith('Ms')) return new Date(Number(fact)).toISOString();
  // Rounds, eras and entries are names: people compare them digit by digit.
  return typeof fact === 'number' && counts.has(name) ? fact.toLocaleString(language) : String(fact);
}

const counts = new Set(['entries', 'sofar', 'batches', 'count', 'number', 'of']);

const reasons: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  ko: { unrevealed: '비밀 값이 제때 공개되지 않음', reset: '마감 뒤에 초기화됨' },
  en: { unrevealed: 'the secret was not revealed in time', reset: 'it was reset after the freeze' },
};

const verdicts: Readonly<Record<Language, Record<Verdict['outcome'], string>>> = {
  ko: {
    passed: '검증되었습니다: 공개된 추첨은 스스로와, 미리 발표한 규칙과 모두 일치합니다.',
    failed: '검증에 실패했습니다: 아래에 실패한 항목이 있습니다. 이 파일을 보관하세요.',
    open: '지금까지는 모두 일치하지만, 추첨이 아직 끝나지 않았습니다.',
  },
  en: {
    passed: 'Verified: the published draw agrees with itself and with the rules that were announced.',
    failed: 'NOT verified: a check below has failed. Keep these files.',
    open: 'So far everything agrees, but the draw is not over.',
  },
};

type Sentences = Readonly<Record<CheckId, Partial<Record<Check['outcome'], string>>>>;

const en: Sentences = {
  log: {
    passed: 'The announcement and all {batches} batches of entries lead to the published head {head}.',
    failed:
      'The announcement and the {batches} batches do not lead to the published head {head}: something in them was changed.',
  },
  entries: {
    passed: 'The log holds all {entries} entries, one after the other.',
    failed: 'The log does not hold {entries} entries one after the other, in batches of at most 64.',
    open: 'Entries are still open; {sofar} so far.',
  },
  round: {
    passed:
      'Round {round} of the public beacon is the one that the rule names: the first at least 30 seconds after the freeze.',
    failed: 'The round is not the one that the rule names (announced {round}, by the rule {expected}, used {used}).',
  },
  'later-round': {
    unchecked:
      'Round {round} was announced, round {used} was used. That is right only if no round in between ever appeared: look them up at the beacon.',
  },
  secret: {
    passed: 'The secret is the one that was committed to before anybody entered (SHA-256 {commitment}).',
    failed: 'The secret is not the one that was committed to (SHA-256 {commitment}).',
    open: 'The secret is not revealed yet; it has to be by {byMs}.',
  },
  'secret-late': { failed: 'The secret had to be revealed by {byMs} and was not: this draw is void.' },
  value: {
    passed: 'The public value is the SHA-256 of the signature of round {round}.',
    failed: 'The public value is not the SHA-256 of the signature of round {round}.',
  },
  beacon: {
    passed: 'The beacon itself was asked, and says the same value for round {round}.',
    failed: 'The beacon itself says something else about the rounds of this draw.',
    unchecked:
      'Not checked here: that drand published value {value} in round {round} of chain {chain}. Compare: https://api.drand.sh/{chain}/public/{round}',
  },
  seed: {
    passed: 'Event, era, number of entries, head, secret, round and public value together give the seed {seed}.',
    failed: 'Event, era, number of entries, head, secret, round and public value do not give the published seed.',
  },
  trusted: {
    unchecked:
      'This draw uses no public value, as was announced: the operator could know the order before the freeze, and steer it with entries of its own. It has to be trusted.',
  },
  voids: {
    failed: 'This draw is listed as void: {reason}.',
    unchecked:
      'Earlier draws of this event were frozen and did not count: {count}. The latest was era {era}: {reason}. Somebody who saw those outcomes may have wanted others.',
  },
  'receipt-draw': { failed: 'The receipt is of another event or another draw (era {era}).' },
  'receipt-signature': {
    passed: 'The receipt of entry {entry} is signed with the key that was announced.',
    failed: 'The receipt of entry {entry} is not signed with the key that was announced.',
    unchecked:
      'Not checked here: the signature of the receipt. This browser cannot; a current one on a page with https can.',
  },
  'receipt-path': {
    passed: 'Entry {entry}, its visitor and its time are part of batch {batch}.',
    failed:
      'Entry {entry} with this visitor and this time is not part of batch {batch}: something in the receipt was changed.',
  },
  'receipt-log': {
    passed: 'Batch {batch} stands in the published log as the receipt says, and so does everything before it.',
    failed:
      'The published log is not the one that the receipt was signed for. If its signature holds, the receipt is evidence against the operator.',
  },
  number: { passed: 'Entry {entry} was drawn number {number} of {of}.' },
};

const ko: Sentences = {
  log: {
    passed: '발표 내용과 응모 묶음 {batches}개가 모두 공개된 head {head}로 이어집니다.',
    failed: '발표 내용과 응모 묶음 {batches}개가 공개된 head {head}로 이어지지 않습니다. 누군가 내용을 바꾸었습니다.',
  },
  entries: {
    passed: '응모 {entries}건이 모두 기록에 차례로 있습니다.',
    failed: '응모 {entries}건이 64건 이하의 묶음으로 기록에 차례로 있지 않습니다.',
    open: '아직 응모를 받고 있습니다. 지금까지 {sofar}건입니다.',
  },
  round: {
    passed: '공개 난수의 {round}회차는 규칙이 정한 그대로입니다: 마감 30초 뒤 처음 나오는 회차.',
    failed: '규칙이 정한 회차가 아닙니다(발표 {round}, 규칙 {expected}, 사용 {used}).',
  },
  'later-round': {
    unchecked:
      '{round}회차가 발표되었으나 {used}회차가 쓰였습니다. 그 사이 회차가 끝내 나오지 않았을 때만 옳습니다. 난수 제공처에서 확인하세요.',
  },
  secret: {
    passed: '비밀 값은 응모를 받기 전에 약속한 그 값입니다(SHA-256 {commitment}).',
    failed: '비밀 값이 약속한 값이 아닙니다(SHA-256 {commitment}).',
    open: '비밀 값은 아직 공개되지 않았습니다. {byMs}까지 공개되어야 합니다.',
  },
  'secret-late': { failed: '비밀 값이 {byMs}까지 공개되지 않았습니다. 이 추첨은 무효입니다.' },
  value: {
    passed: '공개 난수는 {round}회차 서명의 SHA-256입니다.',
    failed: '공개 난수가 {round}회차 서명의 SHA-256이 아닙니다.',
  },
  beacon: {
    passed: '난수 제공처에 직접 물었고, {round}회차의 값이 같습니다.',
    failed: '난수 제공처의 답이 이 추첨의 회차와 다릅니다.',
    unchecked:
      '여기서 확인하지 못한 것: drand 체인 {chain}의 {round}회차 값이 {value}인지. 비교: https://api.drand.sh/{chain}/public/{round}',
  },
  seed: {
    passed: '이벤트, 기수, 응모 수, head, 비밀 값, 회차, 공개 난수를 합치면 씨앗 {seed}이 나옵니다.',
    failed: '이벤트, 기수, 응모 수, head, 비밀 값, 회차, 공개 난수를 합쳐도 공개된 씨앗이 나오지 않습니다.',
  },
  trusted: {
    unchecked:
      '이 추첨은 미리 발표한 대로 공개 난수를 쓰지 않습니다. 운영자는 마감 전에 순서를 알 수 있었고 자신의 응모로 바꿀 수도 있었으므로, 운영자를 믿어야 합니다.',
  },
  voids: {
    failed: '이 추첨은 무효로 기록되어 있습니다: {reason}.',
    unchecked:
      '이 이벤트에서 마감되고도 무효가 된 추첨이 {count}건 있습니다. 마지막은 {era}기: {reason}. 결과를 본 사람이 다른 결과를 원했을 수 있습니다.',
  },
  'receipt-draw': { failed: '다른 이벤트나 다른 추첨({era}기)의 응모권입니다.' },
  'receipt-signature': {
    passed: '응모 {entry}번의 응모권은 발표된 열쇠로 서명되었습니다.',
    failed: '응모 {entry}번의 응모권은 발표된 열쇠로 서명되지 않았습니다.',
    unchecked:
      '여기서 확인하지 못한 것: 응모권의 서명. 이 브라우저는 할 수 없습니다. 최신 브라우저에서 https로 열어 주세요.',
  },
  'receipt-path': {
    passed: '응모 {entry}번과 그 방문자, 시각은 {batch}번 묶음에 들어 있습니다.',
    failed: '이 방문자와 시각의 응모 {entry}번은 {batch}번 묶음에 없습니다. 응모권의 내용이 바뀌었습니다.',
  },
  'receipt-log': {
    passed: '{batch}번 묶음은 응모권에 적힌 그대로 공개 기록에 있고, 그 앞의 모든 기록도 그렇습니다.',
    failed: '공개 기록이 응모권이 서명될 때의 기록과 다릅니다. 서명이 맞다면 이 응모권은 운영자에 대한 증거입니다.',
  },
  number: { passed: '응모 {entry}번은 {of}명 가운데 {number}번으로 추첨되었습니다.' },
};

const sentences: Readonly<Record<Language, Sentences>> = { ko, en };
