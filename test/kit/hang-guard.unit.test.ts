import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { TestCase, TestModule } from 'vitest/node';
import HangGuard from './hang-guard.ts';

const minuteMs = 60_000;
const aModule = (name: string) => ({ id: name, relativeModuleId: name }) as TestModule;
const aTest = (module: TestModule, timeout: number, more: Partial<TestCase['options']> = {}) =>
  ({ module, fullName: 'a suite > a test', options: { timeout, ...more } }) as unknown as TestCase;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function aGuard() {
  const reports: string[] = [];
  const guard = new HangGuard({}, (report) => void reports.push(report));
  guard.onTestRunStart();
  return { guard, reports };
}

test('a file that is never loaded is named, once', () => {
  const { guard, reports } = aGuard();
  guard.onTestModuleQueued(aModule('stuck.int.test.ts'));
  guard.onTestModuleQueued(aModule('other.int.test.ts'));
  vi.advanceTimersByTime(5 * minuteMs);
  guard.onTestModuleEnd(aModule('other.int.test.ts'));
  expect(reports).toEqual([]);
  vi.advanceTimersByTime(30 * minuteMs);
  expect(reports).toEqual(['stuck.int.test.ts has not been loaded within 600 s']);
});

test('a test that keeps its process busy past its own limit is named', () => {
  const { guard, reports } = aGuard();
  const module = aModule('busy.int.test.ts');
  guard.onTestModuleQueued(module);
  guard.onTestModuleStart(module);
  guard.onTestCaseReady(aTest(module, 5 * minuteMs));
  vi.advanceTimersByTime(20 * minuteMs);
  expect(reports).toEqual([]);
  vi.advanceTimersByTime(minuteMs);
  expect(reports).toEqual(['busy.int.test.ts > a suite > a test has not ended within 1200 s']);
});

test('a run that goes on is left alone, however long it takes', () => {
  const { guard, reports } = aGuard();
  const module = aModule('long.int.test.ts');
  guard.onTestModuleQueued(module);
  guard.onTestModuleStart(module);
  for (let n = 0; n < 20; n++) {
    guard.onTestCaseReady(aTest(module, 5 * minuteMs));
    vi.advanceTimersByTime(10 * minuteMs);
    guard.onTestCaseResult(aTest(module, 5 * minuteMs));
  }
  guard.onTestModuleEnd(module);
  guard.onTestRunEnd();
  vi.advanceTimersByTime(60 * minuteMs);
  expect(reports).toEqual([]);
});

test('a file that has ended is watched no more, though its last events arrive after its end', () => {
  const { guard, reports } = aGuard();
  const module = aModule('quick.unit.test.ts');
  guard.onTestModuleQueued(module);
  guard.onTestModuleStart(module);
  guard.onTestCaseReady(aTest(module, 5 * minuteMs));
  // vitest reports batches of events side by side: a later one can overtake the rest of an earlier one.
  guard.onTestModuleEnd(module);
  guard.onTestCaseResult(aTest(module, 5 * minuteMs));
  guard.onTestCaseReady(aTest(module, 5 * minuteMs));
  guard.onTestModuleStart(module);
  vi.advanceTimersByTime(60 * minuteMs);
  expect(reports).toEqual([]);
});

test('a file that runs again is watched again, and a run begins with nothing left of the one before', () => {
  const { guard, reports } = aGuard();
  guard.onTestModuleQueued(aModule('cancelled.unit.test.ts'));
  guard.onTestModuleQueued(aModule('edited.unit.test.ts'));
  guard.onTestModuleEnd(aModule('edited.unit.test.ts'));
  guard.onTestRunStart();
  guard.onTestModuleQueued(aModule('edited.unit.test.ts'));
  guard.onTestModuleStart(aModule('edited.unit.test.ts'));
  vi.advanceTimersByTime(60 * minuteMs);
  expect(reports).toEqual(['edited.unit.test.ts has said nothing since it was loaded within 900 s']);
});

test('a file that is queued twice has ended when the second run has', () => {
  const { guard, reports } = aGuard();
  const module = aModule('twice.unit.test.ts');
  guard.onTestModuleQueued(module);
  guard.onTestModuleEnd(module);
  guard.onTestModuleQueued(module);
  guard.onTestModuleEnd(module);
  vi.advanceTimersByTime(60 * minuteMs);
  expect(reports).toEqual([]);
});

test('a test that may be tried again has the time of all its tries', () => {
  const { guard, reports } = aGuard();
  const module = aModule('again.unit.test.ts');
  guard.onTestModuleQueued(module);
  guard.onTestModuleStart(module);
  guard.onTestCaseReady(aTest(module, 5 * minuteMs, { retry: { count: 2 }, repeats: 1 }));
  vi.advanceTimersByTime(44 * minuteMs);
  expect(reports).toEqual([]);
  vi.advanceTimersByTime(2 * minuteMs);
  expect(reports).toEqual(['again.unit.test.ts > a suite > a test has not ended within 2700 s']);
});
