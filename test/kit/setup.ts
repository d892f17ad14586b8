import fc from 'fast-check';
import { forget, record } from './engines/pid-record.ts';
import { testSeed } from './seed.ts';

// Before every test file: chance is the same for all property tests, and the same in every run.
fc.configureGlobal({ seed: testSeed() });

// Without the run there is nobody to test for; what this process has started ends with it.
process.once('disconnect', () => process.exit(1));

// A file that keeps its process busy for ever hears nothing of that; `npm test` finds the process here and ends it.
record({ pid: process.pid, name: 'test file', dir: 'vitest' });
process.once('exit', () => forget(process.pid));
