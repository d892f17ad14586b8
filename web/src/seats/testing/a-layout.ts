import type { Layout } from '../seat-types.ts';

/** Two sections side by side, each of two rows of four seats: VIP on the left, R on the right. */
export const aLayout: Layout = {
  id: 'layout',
  venueId: 'venue',
  name: '작은 홀',
  version: 1,
  documentVersion: 2,
  width: 200,
  height: 100,
  seatCount: 16,
  standingCapacity: 0,
  grades: ['VIP', 'R'],
  stage: null,
  texts: [],
  sections: ['A', 'B'].map((id, index) => ({
    id,
    name: `${id}구역`,
    nameEn: `Section ${id}`,
    floor: '1층',
    floorEn: 'Level 1',
    outline: null,
    rows: ['1', '2'].map((label, row) => ({
      label,
      labels: ['1', '2', '3', '4'],
      x: [0, 10, 20, 30].map((x) => x + index * 100),
      y: [row * 20, row * 20, row * 20, row * 20],
      grades: [index, index, index, index],
    })),
  })),
  standingAreas: [],
  seatMarks: { accessible: [3], companion: [], restrictedView: [] },
  notes: [{ seatNo: 4, note: '기둥 뒤' }],
};
