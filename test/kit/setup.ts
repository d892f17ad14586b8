import fc from 'fast-check';
import { testSeed } from './seed.ts';

// Before every test file: chance is the same for all property tests, and the same in every run.
fc.configureGlobal({ seed: testSeed() });
