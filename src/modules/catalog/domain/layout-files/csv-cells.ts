import { layoutLimits, type Outline } from '../layout.ts';
import { type CsvColumn, columnOf, csvColumns } from './csv-columns.ts';
import { type CsvRecord, cellValue } from './csv-text.ts';
import type { ProblemList } from './file-problem.ts';

export interface Header {
  readonly columns: ReadonlyMap<CsvColumn, number>;
  /** As the file calls them. */
  readonly names: ReadonlyMap<CsvColumn, string>;
  readonly width: number;
}

const requiredForSeats = ['section', 'row', 'seat', 'x', 'y'] as const;

export function readHeader({ line, cells }: CsvRecord, problems: ProblemList, warnings: ProblemList): Header | null {
  const columns = new Map<CsvColumn, number>();
  const names = new Map<CsvColumn, string>();
  for (const [index, cell] of cells.entries()) {
    const name = cell.trim();
    const column = columnOf(name);
    if (name === '') continue;
    if (column === null) warnings.add({ line, field: name, message: 'is no column that is known; it was left out' });
    else if (columns.has(column))
      problems.add({ line, field: name, message: `is there twice, as "${names.get(column)}"` });
    else {
      columns.set(column, index);
      names.set(column, name);
    }
  }
  // A club has standing areas only, and needs no columns for seats.
  const missing = columns.has('kind') && columns.has('capacity') ? [] : requiredForSeats;
  for (const column of missing) {
    if (columns.has(column)) continue;
    problems.add({
      line,
      field: column,
      message: `is missing; the header may also say ${csvColumns[column].slice(1).join(', ')}`,
    });
  }
  return problems.total > 0 ? null : { columns, names, width: cells.length };
}

export interface Cells {
  readonly line: number;
  problem(column: CsvColumn, message: string): void;
  /** Null: empty. */
  text(column: CsvColumn): string | null;
  required(column: CsvColumn): string | null;
  /** Null: none, or none that can be read, which was told. */
  whole(column: CsvColumn): number | null;
  requiredWhole(column: CsvColumn): number | null;
  outline(column: CsvColumn): Outline | null;
}

export function createCells(record: CsvRecord, header: Header, problems: ProblemList, warnings: ProblemList): Cells {
  const { line } = record;
  const add = (list: ProblemList, column: CsvColumn, message: string) =>
    list.add({ line, field: header.names.get(column) ?? column, message });
  const problem = (column: CsvColumn, message: string) => add(problems, column, message);
  const surplus = record.cells.slice(header.width).findIndex((cell) => cell.trim() !== '');
  if (surplus !== -1)
    problems.add({
      line,
      field: '',
      message: `has ${header.width + surplus + 1} cells; the header has ${header.width}`,
    });
  const text = (column: CsvColumn): string | null => {
    const index = header.columns.get(column);
    const cell = index === undefined ? '' : (record.cells[index] ?? '');
    return cell.trim() === '' ? null : cellValue(cell);
  };
  const required = (column: CsvColumn): string | null => {
    const value = text(column);
    if (value === null) problem(column, 'is empty');
    return value;
  };
  const whole = (column: CsvColumn): number | null => {
    const value = text(column)?.trim() ?? null;
    if (value === null) return null;
    if (!/^-?\d{1,15}(?:\.\d+)?$/.test(value)) {
      problem(column, `"${value.slice(0, 50)}" is not a number`);
      return null;
    }
    const number = Number(value);
    if (!Number.isInteger(number)) add(warnings, column, `${value} was rounded to ${Math.round(number)}`);
    return Math.round(number);
  };
  return {
    line,
    problem,
    text,
    required,
    whole,
    requiredWhole: (column) => (required(column) === null ? null : whole(column)),
    outline(column) {
      const value = text(column);
      if (value === null) return null;
      const pairs = value.trim().split(/\s+/);
      if (pairs.length > layoutLimits.outlinePointsMax) {
        problem(column, `has ${pairs.length} points; at most ${layoutLimits.outlinePointsMax} are allowed`);
        return null;
      }
      const points = pairs.map((pair) => /^(\d{1,6}),(\d{1,6})$/.exec(pair));
      if (points.every((point) => point !== null)) return points.map(([, x, y]) => ({ x: Number(x), y: Number(y) }));
      problem(column, 'must be points like "0,0 100,0 100,50"');
      return null;
    },
  };
}
