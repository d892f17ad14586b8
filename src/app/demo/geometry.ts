import type { LayoutSource } from '#modules/catalog/contract.ts';

type Section = LayoutSource['sections'][number];
type Seat = Section['rows'][number]['seats'][number];

interface SectionName {
  readonly id: string;
  readonly name: string;
  readonly nameEn: string;
  readonly grade: string;
  readonly floor?: string;
  readonly floorEn?: string;
}

/** Straight rows, as on the floor of an arena. (x, y) is the front left seat. */
export function blockSection(
  name: SectionName,
  block: { x: number; y: number; rows: number; seats: number; seatGap: number; rowGap: number },
): Section {
  return section(name, block.rows, block.seats, (row, seat) => ({
    x: block.x + seat * block.seatGap,
    y: block.y + row * block.rowGap,
  }));
}

interface Arc {
  /** Centre of the circle that the rows bend around. */
  readonly x: number;
  readonly y: number;
  /** Of the first row. */
  readonly radius: number;
  readonly rowGap: number;
  readonly rows: number;
  readonly seats: number;
}

/** Rows bent around the stage. `offset` is where its first seat is, along the row, counted from the middle of the hall. */
export function curvedSection(name: SectionName, arc: Arc & { offset: number; seatGap: number }): Section {
  return section(name, arc.rows, arc.seats, (row, seat) => {
    const radius = arc.radius + row * arc.rowGap;
    return onCircle(arc, radius, (arc.offset + seat * arc.seatGap) / radius);
  });
}

/** A slice of a ring between two angles in degrees; 0 is opposite the stage. */
export function ringSection(name: SectionName, arc: Arc & { from: number; to: number }): Section {
  return section(name, arc.rows, arc.seats, (row, seat) => {
    const degrees = arc.from + ((seat + 0.5) / arc.seats) * (arc.to - arc.from);
    return onCircle(arc, arc.radius + row * arc.rowGap, (degrees * Math.PI) / 180);
  });
}

function onCircle(centre: { x: number; y: number }, radius: number, angle: number) {
  return { x: centre.x + radius * Math.sin(angle), y: centre.y + radius * Math.cos(angle) };
}

function section(
  name: SectionName,
  rowCount: number,
  seatCount: number,
  place: (row: number, seat: number) => { x: number; y: number },
): Section {
  const rows = Array.from({ length: rowCount }, (_, row) => ({
    label: String(row + 1),
    seats: Array.from({ length: seatCount }, (_, seat): Seat => {
      const { x, y } = place(row, seat);
      return { label: String(seat + 1), x: Math.round(x), y: Math.round(y) };
    }),
  }));
  return { ...name, rows };
}
