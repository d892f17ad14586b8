import type { Reporter, TestCase, TestModule } from 'vitest/node';

/**
 * vitest ends a test or a hook that takes too long, but not a file that never comes to its first test, because an `await` at
 * its top hangs, nor one that keeps its process busy. This reporter names such a file and ends the run; what the run has
 * started ends with it.
 */
export default class HangGuard implements Reporter {
  readonly #work = new Map<string, Work>();
  readonly #end: (report: string) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(_options?: unknown, end = endRun) {
    this.#end = end;
  }

  onTestRunStart(): void {
    clearInterval(this.#timer);
    this.#work.clear();
    this.#timer = setInterval(() => this.#look(), lookEveryMs);
  }

  onTestRunEnd(): void {
    clearInterval(this.#timer);
  }

  /** The only event that puts a file on the watch list: the worker waits until it was told, so it is always the first. */
  onTestModuleQueued({ id, relativeModuleId }: TestModule): void {
    this.#watch(id, `${relativeModuleId} has not been loaded`, loadMaxMs);
  }

  onTestModuleStart(module: TestModule): void {
    this.#goOn(module, `${module.relativeModuleId} has said nothing since it was loaded`, betweenTestsMaxMs);
  }

  onTestCaseReady({ module, fullName, options }: TestCase): void {
    const limitMs = (options.timeout ?? 0) * triesMax(options) + betweenTestsMaxMs;
    this.#goOn(module, `${module.relativeModuleId} > ${fullName} has not ended`, limitMs);
  }

  onTestCaseResult({ module, fullName }: TestCase): void {
    this.#goOn(module, `${module.relativeModuleId} has not gone on after "${fullName}"`, betweenTestsMaxMs);
  }

  onTestModuleEnd({ id }: TestModule): void {
    this.#work.delete(id);
  }

  /** vitest reports batches of events side by side, so the last events of a file may arrive after its end. They say nothing. */
  #goOn({ id }: TestModule, what: string, limitMs: number): void {
    if (this.#work.has(id)) this.#watch(id, what, limitMs);
  }

  #watch(id: string, what: string, limitMs: number): void {
    this.#work.set(id, { what, limitMs, deadlineMs: performance.now() + limitMs });
  }

  #look(): void {
    const late = [...this.#work.values()].filter(({ deadlineMs }) => deadlineMs < performance.now());
    if (late.length === 0) return;
    clearInterval(this.#timer);
    this.#end(late.map(({ what, limitMs }) => `${what} within ${limitMs / 1_000} s`).join('\n'));
  }
}

interface Work {
  readonly what: string;
  readonly limitMs: number;
  readonly deadlineMs: number;
}

const lookEveryMs = 1_000;
/** Engines are started at the top of files, some of them by the first who asks. */
const loadMaxMs = 600_000;
/** Longer than all hooks of one test may take. */
const betweenTestsMaxMs = 900_000;

/** Each try and each repetition of a test has the whole limit of the test. */
function triesMax({ retry = 0, repeats = 0 }: TestCase['options']): number {
  const retries = typeof retry === 'number' ? retry : (retry.count ?? 0);
  return (1 + retries) * (1 + repeats);
}

function endRun(report: string): void {
  console.error(`\nThe run hangs and is ended:\n${report}`);
  process.exit(1);
}
