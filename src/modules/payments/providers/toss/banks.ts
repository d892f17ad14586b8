/** Codes of banks as Toss has them (docs.tosspayments.com/codes/org-codes). */
const names: Readonly<Record<string, string>> = {
  '02': 'KDB산업은행',
  '03': 'IBK기업은행',
  '06': 'KB국민은행',
  '07': 'Sh수협은행',
  '11': 'NH농협은행',
  '12': '단위농협',
  '20': '우리은행',
  '23': 'SC제일은행',
  '27': '씨티은행',
  '31': 'iM뱅크',
  '32': '부산은행',
  '34': '광주은행',
  '35': '제주은행',
  '37': '전북은행',
  '39': '경남은행',
  '45': '새마을금고',
  '48': '신협',
  '50': '저축은행',
  '54': '홍콩상하이은행',
  '64': '산림조합',
  '71': '우체국',
  '81': '하나은행',
  '88': '신한은행',
  '89': '케이뱅크',
  '90': '카카오뱅크',
  '92': '토스뱅크',
};

const codes = new Map(Object.entries(names).map(([code, name]) => [bare(name), code]));

/** What a buyer reads. A code that is not known is shown as it is. */
export function bankName(code: string): string {
  return names[code] ?? code;
}

/** What a buyer wrote, as Toss wants it: a code (`88`, `088`) or a name (`신한은행`, `신한`). What is not known is left to Toss to judge. */
export function bankCode(written: string): string {
  const text = written.trim();
  if (/^0\d{2}$/.test(text)) return text.slice(1);
  return codes.get(bare(text)) ?? text;
}

function bare(name: string): string {
  return name
    .toUpperCase()
    .replaceAll(/\s/g, '')
    .replace(/^(KDB|IBK|KB|SH|NH|SC)/, '')
    .replace(/(은행|뱅크)$/, '');
}
