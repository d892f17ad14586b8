import { expect, test } from 'vitest';
import { platformErrors } from '../errors.ts';
import { fromDriver, toFault } from '../postgres/failure.ts';
import { engineFaultOf } from './outage.ts';

const withCode = (code: string) => fromDriver(Object.assign(new Error(`the server says ${code}`), { code }));

/** Before each call of a handler the database has answered BEGIN and the inbox. */
test.each([
  ['a silence', fromDriver(new Error('Query read timeout'))],
  ['a pool from which no connection comes', fromDriver(new Error('timeout exceeded when trying to connect'))],
  ['a server that lets nobody in', withCode('57P03')],
  ['a server that has no connection left', withCode('53300')],
  ['a connection that is refused', withCode('ECONNREFUSED')],
  ['a connection that breaks', withCode('57P01')],
])('%s under a handler is excused some times and not for ever', (_, error) => {
  expect(engineFaultOf(error)).toBe('cut');
  expect(engineFaultOf(toFault(error))).toBe('cut');
  expect(engineFaultOf(new Error('wrapped', { cause: error }))).toBe('cut');
});

test('an engine other than the database is waited for', () => {
  expect(engineFaultOf(platformErrors.fault('BUS_UNAVAILABLE'))).toBe('away');
});

test('what only looks like an outage is the own failure of the handler', () => {
  expect(engineFaultOf(new Error('Query read timeout'))).toBeNull();
});
