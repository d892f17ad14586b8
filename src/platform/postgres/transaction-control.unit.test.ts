import { expect, test } from 'vitest';
import { outlivesTransaction, refuseTransactionControl } from './transaction-control.ts';

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
  '/* a /* nested */ comment */ COMMIT',
  'SELECT 1; -- a comment\rCOMMIT',
  'SELECT 1 AS a$$; COMMIT; SELECT 2 AS b$$',
  "SELECT $é$'$é$; COMMIT; SELECT ''",
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
  'SELECT 1 /* a /* nested */ comment; COMMIT */',
  'SELECT $1::text, $é$; COMMIT $é$',
  'SAVEPOINT here',
  'ROLLBACK TO here',
  'rollback work to savepoint here',
  'RELEASE here',
  'SELECT start, "end" FROM times',
  'CREATE TABLE commits (id integer)',
])('%s is allowed', (text) => {
  expect(() => refuseTransactionControl(text)).not.toThrow();
});

test.each([
  'SET synchronous_commit = off',
  'SELECT 1; set session statement_timeout = 50',
  '/* SET LOCAL */ SET ROLE somebody',
  'RESET ALL',
  'LISTEN channel',
  'CREATE TEMP TABLE scratch (id integer)',
  "SELECT set_config('search_path', 'nowhere', false)",
  'SELECT pg_advisory_lock(1)',
  'SELECT pg_try_advisory_lock_shared(1)',
])('%s outlives its transaction', (text) => {
  expect(outlivesTransaction(text)).toBe(true);
});

test.each([
  'SET LOCAL statement_timeout = 50',
  'set constraints all deferred; SET TRANSACTION READ ONLY',
  'UPDATE counters SET value = 1',
  "UPDATE counters SET value = 1 WHERE name = '; SET x = 1'",
  'INSERT INTO counters VALUES (1); UPDATE counters\nSET value = 1',
  'SELECT pg_advisory_xact_lock(1)',
])('%s ends with its transaction', (text) => {
  expect(outlivesTransaction(text)).toBe(false);
});
