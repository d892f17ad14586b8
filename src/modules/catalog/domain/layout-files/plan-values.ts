import type { FieldProblem } from '../field-problem.ts';
import type { Point } from '../layout.ts';
import { problemsMax } from '../layout-problems.ts';
import { shownProblem } from './file-problem.ts';
import type { Json } from './json-text.ts';

export type JsonObject = { readonly [key: string]: Json };

/** What was found while a plan was read, by its path; the lines are looked up at the end. */
export interface Findings {
  readonly problems: FieldProblem[];
  readonly warnings: FieldProblem[];
  readonly problemsTotal: number;
  readonly warningsTotal: number;
  problem(field: string, message: string): void;
  warning(field: string, message: string): void;
  /** Something that has no place here, told once however often it occurs. */
  lost(what: string, field: string): void;
  /** Adds the warnings about what was lost. */
  tellLost(): void;
}

export function createFindings(): Findings {
  const problems: FieldProblem[] = [];
  const warnings: FieldProblem[] = [];
  const lost = new Map<string, { field: string; count: number }>();
  let problemsTotal = 0;
  let warningsTotal = 0;
  const warning = (field: string, message: string) => {
    warningsTotal += 1;
    if (warnings.length < problemsMax) warnings.push(shownProblem({ field, message }));
  };
  return {
    problems,
    warnings,
    get problemsTotal() {
      return problemsTotal;
    },
    get warningsTotal() {
      return warningsTotal;
    },
    problem(field, message) {
      problemsTotal += 1;
      if (problems.length < problemsMax) problems.push(shownProblem({ field, message }));
    },
    warning,
    lost(what, field) {
      const known = lost.get(what);
      if (known === undefined) lost.set(what, { field, count: 1 });
      else known.count += 1;
    },
    tellLost() {
      for (const [what, { field, count }] of lost) warning(field, count === 1 ? what : `${what} (${count} times)`);
    },
  };
}

export type PlanValues = ReturnType<typeof createPlanValues>;

/** Members of a plan with the type that they must have; what has another is a problem, and null. */
export function createPlanValues(findings: Pick<Findings, 'problem'>) {
  const wrong = (value: Json | undefined, path: string, what: string): null => {
    findings.problem(path, value === undefined ? 'is missing' : `must be ${what}`);
    return null;
  };
  const object = (value: Json | undefined, path: string): JsonObject | null =>
    isObject(value) ? value : wrong(value, path, 'an object');
  const number = (value: Json | undefined, path: string): number | null =>
    typeof value === 'number' && Number.isFinite(value) ? value : wrong(value, path, 'a number');
  const point = (value: Json | undefined, path: string): Point | null => {
    const position = object(value, path);
    if (position === null) return null;
    const x = number(position.x, `${path}.x`);
    const y = number(position.y, `${path}.y`);
    return x === null || y === null ? null : { x, y };
  };
  const unplaced = new Set<string>();
  return {
    object,
    number,
    point,
    list: (value: Json | undefined, path: string): readonly Json[] | null =>
      Array.isArray(value) ? value : wrong(value, path, 'a list'),
    text: (value: Json | undefined, path: string): string | null =>
      typeof value === 'string' ? value : wrong(value, path, 'text'),
    optionalText: (value: Json | undefined, path: string): string | null =>
      value === undefined || value === null || typeof value === 'string' ? (value ?? null) : wrong(value, path, 'text'),
    /** In the coordinates of the whole plan. What is at a position that cannot be read is taken to be at `base`. */
    placeOf(position: Json | undefined, path: string, base: Point): Point {
      const at = point(position, `${path}.position`);
      if (at === null) unplaced.add(path);
      return at === null ? base : { x: base.x + at.x, y: base.y + at.y };
    },
    /** Whether it, or what it is in, has a position that cannot be read. */
    isUnplaced(path: string): boolean {
      for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1)) {
        if (unplaced.has(path.slice(0, end))) return true;
      }
      return false;
    },
  };
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A name in the file may be that of a method of every object. */
export function memberOf(object: JsonObject | null, name: string): Json | undefined {
  return object !== null && Object.hasOwn(object, name) ? object[name] : undefined;
}
