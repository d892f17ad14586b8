import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { TestCase, TestModule } from 'vitest/node';
import HangGuard from './hang-guard.ts';

const minuteMs = 60_000;
const aModule = (name: string) => ({ moduleId: `/${name}`, relativeModuleId: name }) as TestModule;
const aTest = (module: TestModule, timeout: number) =>
  ({ module, fullName: 'a suite > a test', options: { timeout } }) as unknown as TestCase;

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
