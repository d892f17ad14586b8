import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { numbered } from './draw-number.ts';
import type { Mine, RoomStatus } from './line.ts';

const open: RoomStatus = {
  ...{ isActive: true, phase: 'open', servingLine: 0, rate: 50, opensAt: null, soldOut: false, message: null },
  ...{ drawEra: null, drawn: null },
};
const mine = (line: number | null): Mine => ({ requestId: 'r', line, position: line, era: 3, entry: null });

test('once a draw is revealed the page reckons its own number, and only that of its own draw', async () => {
  const vectors = new URL('../../../docs/draw-vectors.json', import.meta.url);
  for (const { draw, receipts } of JSON.parse(readFileSync(vectors, 'utf8')).draws) {
    const drawn = { era: draw.era, seed: draw.revealed.seed, entries: draw.frozen.entries, lineOffset: 1_000 };
    const status = { ...open, drawEra: draw.era, drawn };
    for (const { receipt, number } of receipts) {
      const entered = { ...mine(null), era: receipt.era, entry: receipt.entry };
      expect(await numbered(entered, status)).toMatchObject({ position: number, line: 1_000 + number });
      expect((await numbered({ ...entered, era: receipt.era + 1 }, status)).line).toBeNull();
      expect((await numbered({ ...entered, entry: draw.frozen.entries }, status)).line).toBeNull();
      expect((await numbered(entered, { ...status, drawn: null })).line).toBeNull();
    }
  }
  expect(await numbered(mine(7), open)).toEqual(mine(7));
});
