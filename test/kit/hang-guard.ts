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
    this.#timer = setInterval(() => this.#look(), lookEveryMs);
  }

  onTestRunEnd(): void {
    clearInterval(this.#timer);
  }

  onTestModuleQueued({ moduleId, relativeModuleId }: TestModule): void {
    this.#note(moduleId, `${relativeModuleId} has not been loaded`, loadMaxMs);
  }

  onTestModuleStart({ moduleId, relativeModuleId }: TestModule): void {
    this.#note(moduleId, `${relativeModuleId} has said nothing since it was loaded`, betweenTestsMaxMs);
  }

  onTestCaseReady({ module, fullName, options }: TestCase): void {
    const limitMs = (options.timeout ?? 0) + betweenTestsMaxMs;
    this.#note(module.moduleId, `${module.relativeModuleId} > ${fullName} has not ended`, limitMs);
  }

  onTestCaseResult({ module, fullName }: TestCase): void {
    const what = `${module.relativeModuleId} has not gone on after "${fullName}"`;
    this.#note(module.moduleId, what, betweenTestsMaxMs);
  }

  onTestModuleEnd({ moduleId }: TestModule): void {
    this.#work.delete(moduleId);
  }

  #note(moduleId: string, what: string, limitMs: number): void {
    this.#work.set(moduleId, { what, limitMs, deadlineMs: performance.now() + limitMs });
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

function endRun(report: string): void {
  console.error(`\nThe run hangs and is ended:\n${report}`);
  process.exit(1);
}
