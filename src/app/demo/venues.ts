import type { LayoutSource } from '#modules/catalog/contract.ts';
import { blockSection, curvedSection, ringSection } from './geometry.ts';
import { demoId } from './ids.ts';

/** Invented houses: a hall, an arena and a club. */
export const demoVenues = {
  hall: {
    id: demoId('venue', 1),
    layoutId: demoId('layout', 1),
    name: '여울아트홀',
    nameEn: 'Yeoul Arts Hall',
    address: '서울특별시 마포구 여울로 12',
    addressEn: '12 Yeoul-ro, Mapo-gu, Seoul',
    layoutName: '여울아트홀 기본 좌석',
    draw: drawHall,
  },
  arena: {
    id: demoId('venue', 2),
    layoutId: demoId('layout', 2),
    name: '한빛나루 아레나',
    nameEn: 'Hanbit Naru Arena',
    address: '서울특별시 송파구 나루대로 300',
    addressEn: '300 Naru-daero, Songpa-gu, Seoul',
    layoutName: '아레나 엔드 스테이지',
    draw: drawArena,
  },
  club: {
    id: demoId('venue', 3),
    layoutId: demoId('layout', 3),
    name: '클럽 물결',
    nameEn: 'Club Mulgyeol',
    address: '부산광역시 수영구 물결길 7',
    addressEn: '7 Mulgyeol-gil, Suyeong-gu, Busan',
    layoutName: '스탠딩',
    draw: drawClub,
  },
} as const;

export type DemoVenueName = keyof typeof demoVenues;

/** 1,200 seats on two floors, bent around the stage. */
function drawHall(): LayoutSource {
  const seatGap = 50;
  const aisle = 80;
  const floor = { x: 1_500, y: -850, radius: 1_500, rowGap: 65, rows: 16 };
  const balcony = { x: 1_500, y: -850, radius: 2_700, rowGap: 70, rows: 8 };
  /** Three sections side by side: where each begins along the row. */
  const offsets = (left: number, middle: number) => {
    const half = ((middle - 1) * seatGap) / 2;
    return { left: -half - aisle - (left - 1) * seatGap, middle: -half, right: half + aisle };
  };
  const down = offsets(14, 22);
  const up = offsets(15, 20);
  const named = (id: string, grade: string, level: number) => ({
    id,
    name: `${level}층 ${id}구역`,
    nameEn: `Level ${level}, section ${id}`,
    grade,
    floor: `${level}층`,
    floorEn: `Level ${level}`,
  });
  const stage = outline([950, 60], [2_050, 60], [2_050, 400], [1_500, 460], [950, 400]);
  return {
    stage: { name: '무대', nameEn: 'Stage', outline: stage },
    texts: [{ text: '출입구', textEn: 'Entrance', x: 1_500, y: 1_715 }],
    sections: [
      withWheelchairs(curvedSection(named('A', 'R', 1), { ...floor, seats: 14, offset: down.left, seatGap })),
      curvedSection(named('B', 'VIP', 1), { ...floor, seats: 22, offset: down.middle, seatGap }),
      withWheelchairs(curvedSection(named('C', 'R', 1), { ...floor, seats: 14, offset: down.right, seatGap })),
      withPillars(curvedSection(named('D', 'A', 2), { ...balcony, seats: 15, offset: up.left, seatGap })),
      curvedSection(named('E', 'S', 2), { ...balcony, seats: 20, offset: up.middle, seatGap }),
      withPillars(curvedSection(named('F', 'A', 2), { ...balcony, seats: 15, offset: up.right, seatGap })),
    ],
    standingAreas: [],
  };
}

type Section = LayoutSource['sections'][number];

const rectangle = (left: number, top: number, right: number, bottom: number) =>
  outline([left, top], [right, top], [right, bottom], [left, bottom]);

const outline = (...points: [x: number, y: number][]) => points.map(([x, y]) => ({ x, y }));

/** In the last row, by the doors: two places for wheelchairs, each with one for a companion. */
function withWheelchairs(section: Section): Section {
  const marks = [{ accessible: true }, { companion: true }, { companion: true }, { accessible: true }];
  const last = section.rows.length - 1;
  const rows = section.rows.map((row, index) => ({
    ...row,
    seats: index < last ? row.seats : row.seats.map((seat, place) => ({ ...seat, ...marks[place] })),
  }));
  return { ...section, rows };
}

/** The outermost seats of the balcony see the stage past a pillar. */
function withPillars(section: Section): Section {
  const outermost = section.id === 'D' ? '1' : '15';
  const rows = section.rows.map((row) => ({
    ...row,
    seats: row.seats.map((seat) =>
      seat.label === outermost ? { ...seat, restrictedView: true, note: '기둥에 시야가 가려요' } : seat,
    ),
  }));
  return { ...section, rows };
}

/** 8,040 seats: six blocks on the floor, two rings of sixteen sections around them, open towards the stage. */
function drawArena(): LayoutSource {
  const centre = { x: 4_400, y: 3_700 };
  const ringSections = 16;
  const sliceDegrees = 18.4;
  const gapDegrees = 0.8;
  const ring = (first: number, level: number, grade: string, shape: { radius: number; rows: number; seats: number }) =>
    Array.from({ length: ringSections }, (_, index) => {
      const id = String(first + index);
      // Numbered clockwise as seen from the stage, beginning at its left.
      const from = (index - ringSections / 2) * sliceDegrees;
      return ringSection(
        { id, name: `${level}층 ${id}구역`, nameEn: `Level ${level}, section ${id}`, grade },
        { ...centre, ...shape, rowGap: 60, from, to: from + sliceDegrees - gapDegrees },
      );
    });
  const floor = Array.from({ length: 6 }, (_, index) => {
    const id = `F${index + 1}`;
    const front = index < 3;
    return blockSection(
      { id, name: `플로어 ${id}구역`, nameEn: `Floor, section ${id}`, grade: front ? 'VIP' : 'R' },
      {
        x: centre.x - 1_870 + (index % 3) * 1_300,
        y: centre.y - 1_000 + (front ? 0 : 1_150),
        rows: 15,
        seats: 20,
        seatGap: 60,
        rowGap: 70,
      },
    );
  });
  return {
    sections: [
      ...floor,
      ...ring(101, 1, 'S', { radius: 2_800, rows: 12, seats: 20 }),
      ...ring(201, 2, 'A', { radius: 3_640, rows: 10, seats: 15 }),
    ],
    standingAreas: [],
  };
}

function drawClub(): LayoutSource {
  return {
    stage: { name: '무대', nameEn: 'Stage', outline: rectangle(300, 0, 900, 250) },
    sections: [],
    standingAreas: [
      {
        id: 'A',
        name: '스탠딩 A구역',
        nameEn: 'Standing, front',
        capacity: 300,
        outline: rectangle(0, 300, 1_200, 800),
      },
      {
        id: 'B',
        name: '스탠딩 B구역',
        nameEn: 'Standing, back',
        capacity: 500,
        outline: rectangle(0, 820, 1_200, 1_500),
      },
    ],
  };
}
