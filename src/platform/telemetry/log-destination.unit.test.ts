import { expect, test } from 'vitest';
import { createPatientWriter } from './log-destination.ts';

/** A pipe whose reader reads when it is told to. */
function aPipe() {
  const written: string[] = [];
  let taken: (() => void) | null = null;
  let fail: (error: Error) => void = () => {};
  return {
    written,
    read() {
      const done = taken;
      taken = null;
      done?.();
    },
    break: () => fail(new Error('EPIPE')),
    stream: {
      write(text: string, done: () => void) {
        written.push(text);
        taken = done;
        return true;
      },
      on(_event: string, listener: (error: Error) => void) {
        fail = listener;
      },
      unref() {},
    } as never,
  };
}

test('lines wait for a reader that stalls, in order, and go out together when it reads again', () => {
  const pipe = aPipe();
  const log = createPatientWriter(pipe.stream);
  for (const line of ['1\n', '2\n', '3\n']) log.write(line);
  expect(pipe.written).toEqual(['1\n']);
  pipe.read();
  expect(pipe.written).toEqual(['1\n', '2\n3\n']);
});

test('of lines that nobody reads some are kept, and how many were not is said when somebody reads again', () => {
  const pipe = aPipe();
  const log = createPatientWriter(pipe.stream, { keptCharactersMax: 4 });
  for (let n = 1; n <= 6; n++) log.write(`${n}\n`);
  pipe.read();
  const [, later = ''] = pipe.written;
  expect(later.split('\n').slice(0, 2)).toEqual(['2', '3']);
  expect(JSON.parse(later.split('\n')[2] ?? '')).toMatchObject({ level: 'warn', dropped: 3 });
});

test('a reader that is gone for good is no fault of the program', () => {
  const pipe = aPipe();
  const log = createPatientWriter(pipe.stream);
  log.write('1\n');
  pipe.break();
  log.write('2\n');
  pipe.read();
  expect(pipe.written).toEqual(['1\n']);
});
