import type { LayoutDocument } from '../layout.ts';
import { layoutProblems } from '../layout-problems.ts';
import { layoutDocumentSteps } from '../layout-source.ts';
import { createCells, type Header, readHeader } from './csv-cells.ts';
import { kindOf } from './csv-columns.ts';
import { createCsvDrawing } from './csv-drawing.ts';
import { csvRecords } from './csv-text.ts';
import { createProblemList, type FileReading, remarksOf } from './file-problem.ts';

/** A table of seats from a spreadsheet: a line per seat, the columns in any order, in Korean or English. */
export function* readLayoutCsv(text: string): Generator<void, FileReading<LayoutDocument>> {
  const problems = createProblemList();
  const warnings = createProblemList();
  const drawing = createCsvDrawing();
  const broken = () => ({ status: 'broken' as const, ...remarksOf(problems, warnings) });
  let header: Header | null = null;
  for (const step of csvRecords(text)) {
    if ('pauseAt' in step) {
      yield;
      continue;
    }
    if ('brokenAt' in step) {
      problems.add({ line: step.brokenAt, field: '', message: step.message });
      drawing.leaveOutLine();
      break;
    }
    if (header === null) {
      header = readHeader(step.record, problems, warnings);
      if (header === null) return broken();
      continue;
    }
    const cells = createCells(step.record, header, problems, warnings);
    const kind = kindOf(cells.text('kind') ?? '');
    if (kind !== null) drawing.add(kind, cells);
    else {
      cells.problem('kind', 'must be seat, section, standing, stage or text');
      drawing.leaveOutLine();
    }
  }
  if (header === null && problems.total === 0) problems.add({ line: 1, field: '', message: 'the file is empty' });
  if (header === null) return broken();
  // What could be read is looked at as a drawing even if some could not: all problems of a file are told at once.
  const document = yield* layoutDocumentSteps(drawing.source());
  const unread = new Set(problems.named.map(({ line, field }) => `${line} ${field}`));
  for (const { field, message } of yield* layoutProblems(document)) {
    const { line, column } = drawing.placeOf(field);
    const name = (column && header.names.get(column)) ?? column ?? '';
    if (!drawing.isFollowUp(field) && !unread.has(`${line} ${name}`)) problems.add({ line, field: name, message });
  }
  for (const { line, message } of drawing.guessedGrades())
    warnings.add({ line, field: header.names.get('grade') ?? 'grade', message });
  if (problems.total > 0) return broken();
  return { status: 'read', document, name: null, ...remarksOf(problems, warnings) };
}
