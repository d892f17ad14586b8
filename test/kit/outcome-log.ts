import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';
import { scratchRoot } from './engines/scratch.ts';

/**
 * Writes down each outcome as it happens, a line of JSON each, for the closing report of `npm test`: a run that is cut off
 * has then named what had failed until then. The last line of a run that was not cut off is a `RunOutcome`.
 */
export default class OutcomeLog implements Reporter {
  readonly #write: (line: TestOutcome | FileBegin | FileOutcome | RunOutcome) => void;
  readonly #beganAt = new Map<string, number>();

  constructor(_options?: unknown, write = appendToScratch) {
    this.#write = write;
  }

  onTestModuleQueued({ id, project, relativeModuleId }: TestModule): void {
    this.#beganAt.set(id, Date.now());
    this.#write({ kind: 'file begins', project: project.name, file: relativeModuleId });
  }

  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result();
    if (state === 'passed') this.#write({ kind: 'test', name: nameOf(test), state });
    if (state === 'failed') this.#write({ kind: 'test', name: nameOf(test), state, errors: errors.map(wordsOf) });
  }

  onTestModuleEnd(module: TestModule): void {
    const { duration } = module.diagnostic();
    this.#write({
      kind: 'file',
      project: module.project.name,
      file: module.relativeModuleId,
      failures: failuresOf(module),
      beganAt: this.#beganAt.get(module.id) ?? Date.now(),
      endedAt: Date.now(),
      inTestsMs: Math.round(duration),
    });
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    this.#write({
      kind: 'run',
      passed: tests.filter((test) => test.result().state === 'passed').length,
      failures: [...modules.flatMap(failuresOf), ...errors.map(nameOfError)],
    });
  }
}

export interface TestOutcome {
  readonly kind: 'test';
  readonly name: string;
  readonly state: 'passed' | 'failed';
  /** What vitest would have shown at the end. */
  readonly errors?: readonly string[];
}

export interface FileBegin {
  readonly kind: 'file begins';
  readonly project: string;
  readonly file: string;
}

export interface FileOutcome {
  readonly kind: 'file';
  readonly project: string;
  readonly file: string;
  readonly failures: readonly string[];
  readonly beganAt: number;
  readonly endedAt: number;
  /** In tests and hooks; the rest is loading, which includes the engines and programs that a file starts at its top. */
  readonly inTestsMs: number;
}

export interface RunOutcome {
  readonly kind: 'run';
  readonly passed: number;
  readonly failures: readonly string[];
}

/** A file that does not even load, or whose hooks fail, may have no test that failed. */
function failuresOf(module: TestModule): string[] {
  const tests = [...module.children.allTests('failed')];
  if (tests.length > 0) return tests.map(nameOf);
  if (module.state() === 'failed') return [module.relativeModuleId];
  const unfinished = module.state() === 'pending' || module.state() === 'queued';
  return unfinished ? [`${module.relativeModuleId}, which did not come to its end`] : [];
}

function nameOf({ module, fullName }: TestCase): string {
  return `${module.relativeModuleId} > ${fullName}`;
}

function nameOfError({ name, message }: SerializedError): string {
  return `outside of all tests: ${name ?? 'Error'}: ${message.split('\n')[0]}`;
}

/** A counterexample may fill pages. */
const wordsMax = 4_000;

function wordsOf({ stack, message, cause }: SerializedError): string {
  const words = (stack ?? message).slice(0, wordsMax);
  return cause === undefined ? words : `${words}\nCaused by: ${(cause.stack ?? cause.message).slice(0, wordsMax)}`;
}

/** At once and not later: the process may have no later. */
function appendToScratch(line: TestOutcome | FileBegin | FileOutcome | RunOutcome): void {
  appendFileSync(join(scratchRoot(), 'outcomes.jsonl'), `${JSON.stringify(line)}\n`);
}
