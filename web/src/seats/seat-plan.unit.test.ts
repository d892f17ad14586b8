import { expect, test } from 'vitest';
import { createFormats } from '../i18n/formats.ts';
import { ko } from '../i18n/ko.ts';
import { createScene, seatAt, sectionAt } from './map-scene.ts';
import { nextSeat } from './roving.ts';
import { fullSeatName } from './seat-names.ts';
import { createSeatPlan } from './seat-plan.ts';
import { freeBySection } from './section-counts.ts';
import { aLayout } from './testing/a-layout.ts';

const plan = createSeatPlan(aLayout);
const i18n = { t: ko, format: createFormats('ko'), pick: (korean: string) => korean };

test('seats are numbered through sections, rows and labels, and found by their id', () => {
  expect(plan.seat(13)).toMatchObject({ seatId: 'B-2-2', row: '2', label: '2', grade: 'R' });
  expect(plan.seatNoOf('B-2-2')).toBe(13);
  expect([plan.seat(16), plan.seat(-1), plan.seatNoOf('C-1-1')]).toEqual([undefined, undefined, undefined]);
  expect(plan.gap).toBe(10);
});

test('the full name of a seat says all that the eye would see', () => {
  const seat = plan.seat(13);
  if (seat === undefined) throw new Error('no seat');
  expect(fullSeatName(seat, { priceKrw: 143_000, state: 'free' }, i18n)).toBe(
    '1층 B구역 2열 2번, R석, 143,000원, 선택 가능',
  );
  const marked = plan.seat(3);
  if (marked === undefined) throw new Error('no seat');
  expect(fullSeatName(marked, { priceKrw: 0, state: 'sold' }, i18n)).toBe(
    '1층 A구역 1열 4번, VIP석, 무료, 휠체어석, 판매됨',
  );
});

test('a tap finds the nearest seat within reach, and the section that it is in', () => {
  const scene = createScene(plan);
  expect(seatAt(plan, { x: 12, y: 1 }, 5)).toBe(1);
  expect(seatAt(plan, { x: 60, y: 1 }, 5)).toBeNull();
  expect(sectionAt(scene, { x: 115, y: 10 })).toBe(1);
  expect(sectionAt(scene, { x: 65, y: 10 })).toBeNull();
});

test('arrows lead along the row and across rows, and stay inside the section', () => {
  const rows = plan.sections[1]?.rows ?? [];
  expect(nextSeat(rows, 8, 'ArrowRight')).toBe(9);
  expect(nextSeat(rows, 8, 'ArrowLeft')).toBe(8);
  expect(nextSeat(rows, 10, 'ArrowDown')).toBe(14);
  expect(nextSeat(rows, 14, 'ArrowDown')).toBe(14);
  expect([nextSeat(rows, 10, 'Home'), nextSeat(rows, 10, 'End')]).toEqual([8, 11]);
});

test('what is left is counted for each section', () => {
  const states = new Uint8Array(16);
  states.set([1, 2, 3], 0);
  expect([...freeBySection(plan, states)]).toEqual([5, 8]);
});
