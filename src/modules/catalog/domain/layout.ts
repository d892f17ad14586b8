/** A hall as its owner draws it, version 2. Coordinates are whole numbers in layout units; y grows away from the stage. */
export interface LayoutDocument {
  readonly documentVersion: 2;
  readonly stage: Stage | null;
  /** Written on the drawing: "Entrance 3", "Bar". */
  readonly texts: readonly FreeText[];
  readonly sections: readonly Section[];
  readonly standingAreas: readonly StandingArea[];
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A polygon. The last point is joined to the first. */
export type Outline = readonly Point[];

export interface Stage {
  readonly name: string;
  readonly nameEn: string | null;
  readonly outline: Outline;
}

export interface FreeText extends Point {
  readonly text: string;
  readonly textEn: string | null;
  /** Height of the letters in layout units. */
  readonly size: number;
}

export interface Section {
  /** Short and printed on tickets: `A`, `201`. */
  readonly id: string;
  readonly name: string;
  readonly nameEn: string | null;
  /** As it is shown: `1층`, `Level 1`. */
  readonly floor: string | null;
  readonly floorEn: string | null;
  /** Of every seat in it that names none of its own. */
  readonly grade: string;
  readonly outline: Outline | null;
  readonly rows: readonly Row[];
}

export interface Row {
  readonly label: string;
  readonly seats: readonly Seat[];
}

export interface Seat extends Point {
  readonly label: string;
  /** Only where it differs from that of the section. */
  readonly grade?: string;
  /** A place for a wheelchair. */
  readonly accessible?: true;
  /** For the person who comes along with a wheelchair user. */
  readonly companion?: true;
  readonly restrictedView?: true;
  readonly note?: string;
}

export interface StandingArea {
  readonly id: string;
  readonly name: string;
  readonly nameEn: string | null;
  readonly capacity: number;
  readonly outline: Outline | null;
}

export const seatMarks = ['accessible', 'companion', 'restrictedView'] as const;

export const layoutLimits = {
  /** Seats and standing places together: what one venue on earth may hold, and what one transaction can write. */
  capacityMax: 100_000,
  sectionsMax: 500,
  rowsPerSectionMax: 500,
  seatsPerRowMax: 1_000,
  standingAreasMax: 50,
  gradesMax: 20,
  textsMax: 200,
  outlinePointsMin: 3,
  outlinePointsMax: 200,
  /** Of all outlines together, so that a drawing stays one that a phone can draw. */
  pointsMax: 20_000,
  coordinateMax: 100_000,
  textSizeMax: 10_000,
  labelLengthMax: 12,
  nameLengthMax: 50,
  floorLengthMax: 20,
  gradeLengthMax: 20,
  textLengthMax: 50,
  noteLengthMax: 100,
  /** Characters of all notes together. */
  notesLengthMax: 500_000,
} as const;

/**
 * Names printed on tickets and used in seat ids, hence no `-` and no blanks, and no letters that nobody sees or that look like
 * others written in another way (full-width digits, loose Hangul vowels and consonants, fillers).
 */
export const labelPattern =
  '^(?:(?![\\p{Default_Ignorable_Code_Point}\\u1100-\\u11ff\\ua960-\\ua97f\\ud7b0-\\ud7ff\\uff00-\\uffef])[\\p{L}\\p{N}])+$';

export interface LayoutTotals {
  readonly seatCount: number;
  readonly standingCapacity: number;
  /** In the order in which the grades first appear. */
  readonly seatsByGrade: readonly { readonly grade: string; readonly seats: number }[];
}

export function layoutTotals(document: LayoutDocument): LayoutTotals {
  const byGrade = new Map<string, number>();
  let seatCount = 0;
  for (const section of document.sections) {
    for (const { seats } of section.rows) {
      seatCount += seats.length;
      for (const { grade = section.grade } of seats) byGrade.set(grade, (byGrade.get(grade) ?? 0) + 1);
    }
  }
  return {
    seatCount,
    standingCapacity: document.standingAreas.reduce((sum, area) => sum + area.capacity, 0),
    seatsByGrade: [...byGrade].map(([grade, seats]) => ({ grade, seats })),
  };
}

export interface LayoutSeat {
  /** Its place in the order of the document, from 0. */
  readonly seatNo: number;
  /** Names the seat within its layout: section, row and seat label. The labels hold no `-`, so it is unambiguous. */
  readonly seatId: string;
  readonly section: string;
  readonly row: string;
  readonly label: string;
  readonly grade: string;
  readonly x: number;
  readonly y: number;
}

export function* seatsOf(document: LayoutDocument): Generator<LayoutSeat> {
  let seatNo = 0;
  for (const section of document.sections) {
    for (const row of section.rows) {
      for (const seat of row.seats) {
        yield {
          seatNo: seatNo++,
          seatId: `${section.id}-${row.label}-${seat.label}`,
          section: section.id,
          row: row.label,
          label: seat.label,
          grade: seat.grade ?? section.grade,
          x: seat.x,
          y: seat.y,
        };
      }
    }
  }
}

/** Every point that is drawn, list by list: seats, outlines, texts. */
export function* pointsOf(document: LayoutDocument): Generator<readonly Point[]> {
  for (const { outline, rows } of document.sections) {
    yield outline ?? [];
    for (const { seats } of rows) yield seats;
  }
  for (const { outline } of document.standingAreas) yield outline ?? [];
  yield document.stage?.outline ?? [];
  yield document.texts;
}
