/** The columns of a table of seats, and what spreadsheets call them. Blanks and letter case do not count. */
export const csvColumns = {
  kind: ['kind', 'type', '종류', '구분'],
  section: ['section', 'area', 'block', 'zone', '구역', '블록', '블럭'],
  name: ['name', 'text', '이름', '구역명', '구역이름', '내용'],
  nameEn: ['nameen', 'texten', 'englishname', '영문이름', '영문명', '영문'],
  floor: ['floor', 'level', '층'],
  floorEn: ['flooren', 'levelen', '영문층', '층영문'],
  grade: ['grade', 'category', '등급', '좌석등급'],
  row: ['row', '열', '줄'],
  seat: ['seat', 'number', 'seatnumber', '번호', '좌석번호', '좌석', '번'],
  x: ['x', 'x좌표', '가로'],
  y: ['y', 'y좌표', '세로'],
  accessible: ['accessible', 'wheelchair', '휠체어', '휠체어석', '장애인석'],
  companion: ['companion', '동반', '동반자', '동반자석', '보호자석'],
  restrictedView: ['restrictedview', 'restricted', '시야제한', '시야제한석'],
  note: ['note', 'notes', 'remark', '비고', '메모'],
  capacity: ['capacity', '정원', '수용인원', '인원'],
  size: ['size', '크기', '글자크기'],
  outline: ['outline', 'polygon', '윤곽', '외곽선'],
} as const satisfies Record<string, readonly string[]>;

export type CsvColumn = keyof typeof csvColumns;

export const csvColumnNames = Object.keys(csvColumns) as CsvColumn[];

const byHeader = new Map(
  csvColumnNames.flatMap((column) => csvColumns[column].map((header): [string, CsvColumn] => [header, column])),
);

/** Longer than any, with room for blanks; how long a name in a file may be is for others to say. */
const headerLengthMax = 100;

export function columnOf(header: string): CsvColumn | null {
  if (header.length > headerLengthMax) return null;
  return (
    byHeader.get(
      header
        .normalize('NFC')
        .toLowerCase()
        .replaceAll(/[\s_-]/g, ''),
    ) ?? null
  );
}

const csvKinds = {
  seat: ['seat', '좌석'],
  section: ['section', '구역'],
  standing: ['standing', '스탠딩', '입석'],
  stage: ['stage', '무대'],
  text: ['text', '글', '글자', '텍스트'],
} as const satisfies Record<string, readonly string[]>;

export type CsvKind = keyof typeof csvKinds;

/** A line that does not say is a seat. */
export function kindOf(cell: string): CsvKind | null {
  const word = cell.trim().toLowerCase();
  if (word === '') return 'seat';
  for (const [kind, words] of Object.entries(csvKinds)) {
    if ((words as readonly string[]).includes(word)) return kind as CsvKind;
  }
  return null;
}

const yes = new Set(['1', 'y', 'yes', 'true', 'o', '○', '◯', 'v', '✓', '예', '네']);
const no = new Set(['', '0', 'n', 'no', 'false', 'x', '×', '-', '아니오', '아니요']);

/** `O` and `X` are yes and no in Korean tables. Null: neither. */
export function yesOrNo(cell: string): boolean | null {
  const word = cell.trim().toLowerCase();
  if (yes.has(word)) return true;
  return no.has(word) ? false : null;
}
