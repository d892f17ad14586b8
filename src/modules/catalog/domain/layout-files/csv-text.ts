/** One line of a table. `line` is where it begins; a cell in quotes may go on for several. */
export interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

export type CsvStep =
  | { readonly record: CsvRecord }
  /** Nothing yet, but time for a pause. */
  | { readonly pauseAt: number }
  /** What makes the rest of the file unreadable. */
  | { readonly brokenAt: number; readonly message: string };

/**
 * The longest line of a drawing is one with an outline of 200 points, some 3,000 characters. Of lines there are seats,
 * sections, areas, texts and a header, each once more than allowed; blank ones count, a file may consist of them.
 */
const limits = { cellsMax: 200, recordLengthMax: 20_000, linesMax: 200_000 } as const;
const charactersPerStep = 8_000;

const separators = [',', ';', '\t'] as const;
const quote = '"';

/** Spreadsheets in half of the world write semicolons. Some say which in a line of its own: `sep=;`. */
function separatorOf(text: string): { separator: string; startAt: number; line: number } {
  const said = /^sep=(.)\r?\n/i.exec(text);
  if (said?.[1] !== undefined) return { separator: said[1], startAt: said[0].length, line: 2 };
  const [head = ''] = text.slice(0, headLengthMax).split(/\r?\n|\r/, 1);
  const plain = head.replaceAll(/"[^"]*"/g, '');
  const counts = separators.map((separator) => plain.split(separator).length);
  return { separator: separators[counts.indexOf(Math.max(...counts))] ?? ',', startAt: 0, line: 1 };
}

const headLengthMax = 10_000;

/**
 * The lines of a table as spreadsheets write them: cells in quotes or not, `""` for a quote, LF, CRLF or CR. A quote inside
 * of a cell that did not begin with one is an ordinary character. Blank lines are left out.
 */
export function* csvRecords(text: string): Generator<CsvStep> {
  const { separator, startAt, line: firstLine } = separatorOf(text);
  const ends = new RegExp(
    `[\\r\\n${separator === '\t' ? '\\t' : `\\u{${separator.codePointAt(0)?.toString(16)}}`}]`,
    'gu',
  );
  let at = startAt;
  let line = firstLine;
  let pausedAt = at;
  while (at < text.length) {
    if (line > limits.linesMax) return yield { brokenAt: line, message: `more than ${limits.linesMax} lines` };
    const startsAt = at;
    const record: { line: number; cells: string[] } = { line, cells: [] };
    for (;;) {
      let quoted = '';
      if (text[at] === quote) {
        const end = closingQuote(text, at);
        if (end === -1) return yield { brokenAt: line, message: 'a quote (") opens here that nothing closes' };
        if (end - startsAt > limits.recordLengthMax) return yield { brokenAt: line, message: tooLong };
        quoted = text.slice(at + 1, end).replaceAll('""', quote);
        line += lineBreaksIn(quoted);
        at = end + 1;
      }
      ends.lastIndex = at;
      const end = ends.exec(text)?.index ?? text.length;
      if (end - startsAt > limits.recordLengthMax) return yield { brokenAt: line, message: tooLong };
      // Blanks count only where quotes keep them.
      if (record.cells.push(quoted + text.slice(at, end).trim()) > limits.cellsMax)
        return yield { brokenAt: line, message: `has more than ${limits.cellsMax} cells` };
      at = end + 1;
      if (end === text.length || text[end] !== separator) {
        if (text[end] === '\r' && text[at] === '\n') at += 1;
        break;
      }
    }
    line += 1;
    if (record.cells.some((cell) => cell.trim() !== '')) yield { record };
    if (at - pausedAt >= charactersPerStep) {
      pausedAt = at;
      yield { pauseAt: line };
    }
  }
}

const tooLong = `is longer than ${limits.recordLengthMax} characters`;

/** Of a cell that is too long any quote is as good. */
function closingQuote(text: string, openAt: number): number {
  for (let at = text.indexOf(quote, openAt + 1); at !== -1; at = text.indexOf(quote, at + 2)) {
    if (text[at + 1] !== quote || at - openAt > limits.recordLengthMax) return at;
  }
  return -1;
}

function lineBreaksIn(cell: string): number {
  return cell.includes('\n') || cell.includes('\r') ? cell.split(/\r\n|\r|\n/).length - 1 : 0;
}

/** A spreadsheet takes what begins like this for a formula, and some formulas run programs. Wide forms count in Korean ones. */
const formula = /^'*[=+\-@\t\r＝＋－＠]/;
const guarded = /^'+[=+\-@\t\r＝＋－＠]/;

/** One cell, safe to open in a spreadsheet. */
export function csvCell(value: string): string {
  const safe = formula.test(value) ? `'${value}` : value;
  return /[",;\t\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** What `csvCell` put before it to keep a spreadsheet from running it is taken away again. */
export function cellValue(cell: string): string {
  return guarded.test(cell) ? cell.slice(1) : cell;
}
