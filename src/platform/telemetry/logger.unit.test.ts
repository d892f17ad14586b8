import { expect, test } from 'vitest';
import { createLogger } from './logger.ts';

const trap = () => {
  throw new Error('a trap');
};

test.each([
  ['a Proxy that throws at every touch', new Proxy({}, { get: trap, has: trap, getPrototypeOf: trap, ownKeys: trap })],
  ['an error whose message cannot be read', Object.defineProperty(new Error(), 'message', { get: trap })],
  [
    'an error with a field that cannot be read',
    Object.defineProperty(new Error('m'), 'f', { get: trap, enumerable: true }),
  ],
  ['an error with a field that cannot be written as JSON', Object.assign(new Error('m'), { f: { toJSON: trap } })],
  ['null', null],
])('%s can be logged', (_, err) => {
  const lines: string[] = [];
  const logger = createLogger({ level: 'info', destination: { write: (line) => lines.push(line) } });
  logger.warn({ err }, 'it failed');
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['it failed']);
});
