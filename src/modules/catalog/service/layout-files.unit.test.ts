import { expect, test } from 'vitest';
import { aGreatHall } from '../testing/any-layout.ts';
import { createLayoutFiles } from './layout-files.ts';

test('two files are worked on at a time and eight wait; another is refused, and taken when one is done', async () => {
  const files = createLayoutFiles();
  const layout = { name: '홀', document: aGreatHall(1) };
  const ten = Array.from({ length: 10 }, () => files.write(layout, 'pretix'));
  await expect(files.write(layout, 'pretix')).rejects.toMatchObject({ code: 'LAYOUT_FILES_BUSY' });
  const [first, ...others] = await Promise.all(ten);
  expect(others.every((one) => first?.equals(one))).toBe(true);
  await expect(files.write(layout, 'csv')).resolves.toBeInstanceOf(Buffer);
});

test('somebody else gets a turn while a large file is read', async () => {
  const files = createLayoutFiles();
  const file = await files.write({ name: '큰 홀', document: aGreatHall(20) }, 'csv');
  let turns = 0;
  let isDone = false;
  const tick = () => {
    turns += 1;
    if (!isDone) setImmediate(tick);
  };
  setImmediate(tick);
  await files.read(file, 'csv');
  isDone = true;
  expect(turns).toBeGreaterThan(1);
});
