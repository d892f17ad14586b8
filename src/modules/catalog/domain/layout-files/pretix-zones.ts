import { labelPattern, layoutLimits, type Point } from '../layout.ts';
import type { Findings, JsonObject, PlanValues } from './plan-values.ts';

export interface PlanSection {
  readonly path: string;
  readonly id: string;
  readonly name: string;
  readonly rows: readonly PlanRow[];
}

export interface PlanRow {
  readonly label: string;
  readonly seats: PlanSeat[];
  /** Of each seat in the plan. */
  readonly paths: string[];
}

interface PlanSeat extends Point {
  readonly label: string;
  /** None: it could not be read. */
  readonly grade?: string;
}

const { capacityMax } = layoutLimits;
const seatsPerStep = 500;
const rowsPerStep = 500;

/** Reads zones one by one; sections are named apart from each other. A zone without seats is no section. */
export function createZoneReader({
  values,
  findings,
  categories,
}: {
  values: PlanValues;
  findings: Findings;
  /** Names of those that the plan lists. */
  categories: ReadonlySet<string>;
}) {
  const ids = new Set<string>();
  const labelForm = new RegExp(labelPattern, 'u');
  let seatCount = 0;

  /** Other systems write what they like; here a label is of letters and digits. */
  function labelFor(raw: string, otherwise: string, path: string): string {
    if (labelForm.test(raw)) return raw;
    const label = raw.normalize('NFC').replaceAll(/[^\p{L}\p{N}]/gu, '') || otherwise;
    findings.warning(path, `"${raw.slice(0, 50)}" became "${label}": only letters and digits`);
    return label;
  }

  function sectionId(zone: JsonObject, name: string, path: string): string {
    const said = typeof zone.zone_id === 'string' && zone.zone_id !== '' ? zone.zone_id : name;
    const plain = said.normalize('NFC').replaceAll(/[^\p{L}\p{N}]/gu, '');
    const fits = (id: string) => id !== '' && [...id].length <= layoutLimits.labelLengthMax && !ids.has(id);
    let id = labelForm.test(said) ? said : plain;
    for (let number = ids.size + 1; !fits(id); number++) id = `S${number}`;
    if (id !== said) findings.warning(path, `"${said.slice(0, 50)}" became the section "${id}"`);
    ids.add(id);
    return id;
  }

  function* readRows(zone: JsonObject, zonePath: string, at: Point): Generator<void, PlanRow[]> {
    const rows = new Map<string, PlanRow>();
    for (const [r, value] of (values.list(zone.rows, `${zonePath}.rows`) ?? []).entries()) {
      if (r % rowsPerStep === 0) yield;
      const path = `${zonePath}.rows.${r}`;
      const row = values.object(value, path);
      const number = row && values.text(row.row_number, `${path}.row_number`);
      const seats = (row && values.list(row.seats, `${path}.seats`)) ?? [];
      if (row === null || seats.length === 0) continue;
      const offset = row.position === undefined ? at : values.placeOf(row.position, path, at);
      for (const field of ['row_label', 'seat_label', 'row_number_position']) {
        if (row[field] != null) findings.lost(`${field} is not kept`, `${path}.${field}`);
      }
      const into = rowFor(rows, { number, index: r, path });
      for (const [i, seat] of seats.entries()) {
        readSeat(seat as JsonObject, `${path}.seats.${i}`, { offset, into, number: i });
        if (i % seatsPerStep === 0) yield;
      }
    }
    // One without seats had none that could be read.
    return [...rows.values()].filter((row) => row.seats.length > 0);
  }

  /** Seats of a row without a name are read as well, for the problems in them, and drawn nowhere. */
  function rowFor(
    rows: Map<string, PlanRow>,
    { number, index, path }: { number: string | null; index: number; path: string },
  ): PlanRow {
    const label = number === null ? '' : labelFor(number, `R${index + 1}`, `${path}.row_number`);
    const known = rows.get(label);
    if (known !== undefined)
      findings.warning(`${path}.row_number`, `row "${label}" comes twice; its seats were put together`);
    const row = known ?? { label, seats: [], paths: [] };
    if (number !== null) rows.set(label, row);
    return row;
  }

  function readSeat(
    value: JsonObject,
    path: string,
    { offset, into, number }: { offset: Point; into: PlanRow; number: number },
  ) {
    seatCount += 1;
    // Told once; what is too much is not even looked at.
    if (seatCount === capacityMax + 1)
      findings.problem(path, `is one seat too many; at most ${capacityMax} are allowed`);
    const seat = seatCount > capacityMax ? null : values.object(value, path);
    if (seat === null) return;
    const label = values.text(seat.seat_number, `${path}.seat_number`);
    const at = values.placeOf(seat.position, path, offset);
    const grade = values.text(seat.category, `${path}.category`);
    for (const field of ['start_direction', 'radius']) {
      if (seat[field] != null) findings.lost(`${field} is not kept`, `${path}.${field}`);
    }
    // A slip of the pen would become a grade of its own, without a price.
    if (grade !== null && !categories.has(grade))
      findings.lost(`"${grade}" is not among the categories of the plan`, `${path}.category`);
    if (label === null) return;
    into.seats.push({
      label: labelFor(label, `${number + 1}`, `${path}.seat_number`),
      ...at,
      ...(grade !== null && { grade }),
    });
    into.paths.push(path);
  }

  return function* readZone(zone: JsonObject, path: string, at: Point): Generator<void, PlanSection | null> {
    const rows = yield* readRows(zone, path, at);
    if (rows.every(({ seats }) => seats.length === 0)) return null;
    const name = typeof zone.name === 'string' && zone.name.trim() !== '' ? zone.name : null;
    const id = sectionId(zone, name ?? '', name === null ? path : `${path}.name`);
    return { path, id, name: name ?? id, rows };
  };
}
