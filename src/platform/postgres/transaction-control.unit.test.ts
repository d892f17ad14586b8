import { expect, test } from 'vitest';
import { refuseTransactionControl } from './transaction-control.ts';

test.each([
  'COMMIT',
  '  commit and chain',
  'END',
  'rollback',
  'ROLLBACK AND CHAIN',
  'ABORT',
  'BEGIN',
  'start  transaction',
  "PREPARE TRANSACTION 'x'",
  'SELECT 1; COMMIT',
  '-- a comment\nCOMMIT',
  '/* a comment */ COMMIT;',
  "SELECT 'it''s'; COMMIT; SELECT ''",
  "SELECT E'it\\'s'; COMMIT",
])('%s is refused', (text) => {
  expect(() => refuseTransactionControl(text)).toThrow('is refused');
});

test.each([
  'SELECT CASE WHEN true THEN 1 END',
  "SELECT 'a; COMMIT'",
  'SELECT 1 -- ; COMMIT',
  'SELECT 1 /* ; COMMIT */',
  'DO $$ BEGIN PERFORM 1; END $$',
  'DO $body$ BEGIN PERFORM 1; COMMIT; END $body$',
  'SELECT 1 AS "; COMMIT"',
  'SAVEPOINT here',
  'ROLLBACK TO here',
  'rollback work to savepoint here',
  'RELEASE here',
  'SELECT start, "end" FROM times',
  'CREATE TABLE commits (id integer)',
])('%s is allowed', (text) => {
  expect(() => refuseTransactionControl(text)).not.toThrow();
});
