import { type LayoutDocument, layoutLimits, layoutTotals, type Point, pointsOf, seatMarks } from '../layout.ts';
import { layoutProblems } from '../layout-problems.ts';
import { layoutDocumentSteps, type SectionSource } from '../layout-source.ts';
import { byLine, type FileReading } from './file-problem.ts';
import { type Json, readJson } from './json-text.ts';
import { createFindings, createPlanValues, type Findings, isObject, type JsonObject, memberOf } from './plan-values.ts';
import { createAreaReader, type Extension } from './pretix-area-reader.ts';
import { areaMarks } from './pretix-areas.ts';
import { createZoneReader, type PlanSection } from './pretix-zones.ts';

/** A plan of pretix. Its zones become sections; what it says about more than that is named as lost. */
export function* readPretixPlan(text: string): Generator<void, FileReading<LayoutDocument>> {
  const parsed = yield* readJson(text);
  if (parsed.status === 'broken')
    return { status: 'broken', problems: [parsed.problem], problemsTotal: 1, warnings: [], warningsTotal: 0 };
  const findings = createFindings();
  const plan = yield* drawingOf(parsed.value, findings);
  if (plan !== null) {
    // What could be read is looked at as a drawing even if some could not: all problems of a plan are told at once.
    const isWhole = findings.problemsTotal === 0;
    const unread = new Set(findings.problems.map(({ field }) => field));
    for (const { field, message } of yield* layoutProblems(plan.document)) {
      const path = plan.pathOf(field);
      if (isWhole || !(unread.has(path) || plan.isFollowUp(field))) findings.problem(path, message);
    }
  }
  findings.tellLost();
  const remarks = yield* withLines(text, findings);
  if (plan === null || findings.problemsTotal > 0) return { status: 'broken', ...remarks };
  return { status: 'read', document: plan.document, name: plan.name, ...remarks };
}

/** Only now, and only where there is something to say: the text is read again to find the lines. */
function* withLines(text: string, findings: Findings) {
  const { problems, warnings, problemsTotal, warningsTotal } = findings;
  const paths = [...problems, ...warnings].map(({ field }) => field);
  const located = paths.length === 0 ? null : yield* readJson(text, paths);
  const lineOf = (path: string) => (located?.status === 'read' ? located.lineOf(path) : 1);
  const placed = (all: Findings['problems']) => byLine(all.map((one) => ({ line: lineOf(one.field), ...one })));
  return { problems: placed(problems), problemsTotal, warnings: placed(warnings), warningsTotal };
}

interface Plan {
  readonly document: LayoutDocument;
  readonly name: string | null;
  /** Where in the plan a field of the document came from. */
  pathOf(field: string): string;
  /** Whether a problem of the drawing may be there only because something could not be read, which was told. */
  isFollowUp(field: string): boolean;
}

const areasPerStep = 100;
/** A zone is a section, or drawn beside them. */
const zonesMax = 2 * layoutLimits.sectionsMax;
const knownFields = new Set(['name', 'zones', 'categories', 'size']);

function* drawingOf(value: Json, findings: Findings): Generator<void, Plan | null> {
  const values = createPlanValues(findings);
  const plan = values.object(value, '');
  if (plan === null) return null;
  for (const field of Object.keys(plan)) {
    if (!knownFields.has(field)) findings.warning(field, 'is not known and was left out');
  }
  const listed = values.list(plan.zones, 'zones') ?? [];
  if (listed.length > zonesMax) {
    findings.problem('zones', `has ${listed.length} entries; at most ${zonesMax} are allowed`);
    return null;
  }
  const zones = listed.map((zone, z) => values.object(zone, `zones.${z}`));
  const extension = yield* extensionIn(zones, findings);
  if (extension === null && Array.isArray(plan.categories) && plan.categories.length > 0)
    findings.lost('colours of categories are not kept', 'categories');

  const areas = createAreaReader({ values, findings, extension });
  const readZone = createZoneReader({ values, findings, categories: categoriesIn(plan) });
  const sections: PlanSection[] = [];
  for (const [z, zone] of zones.entries()) {
    if (zone === null) continue;
    const path = `zones.${z}`;
    const at = values.placeOf(zone.position, path, { x: 0, y: 0 });
    const section = yield* readZone(zone, path, at);
    if (section !== null) sections.push(section);
    for (const [a, area] of areasIn(zone, path, values).entries()) {
      areas.read(area, `${path}.areas.${a}`, at);
      if (a % areasPerStep === 0) yield;
    }
  }
  const drawn = yield* layoutDocumentSteps({
    stage: areas.stage(),
    texts: areas.texts(),
    sections: sourcesOf(sections, areas, extension?.value ?? null),
    standingAreas: areas.standingAreas(),
  });
  const document = yield* wholeAndPositive(drawn, findings);
  return {
    document,
    name: nameOf(plan),
    pathOf: (field) => pathOf(field, sections, areas),
    isFollowUp(field) {
      if (field === '') return isEmpty(document);
      if (/\.[xy]$/.test(field)) return values.isUnplaced(pathOf(field, sections, areas));
      const [, index] = /^sections\.(\d+)\.grade$/.exec(field) ?? [];
      const section = sections[Number(index)];
      return section !== undefined && document.sections[Number(index)]?.grade === '' && firstGraded(section) === null;
    },
  };
}

function isEmpty(document: LayoutDocument): boolean {
  const { seatCount, standingCapacity } = layoutTotals(document);
  return seatCount + standingCapacity === 0;
}

function categoriesIn({ categories }: JsonObject): ReadonlySet<string> {
  const listed = Array.isArray(categories) ? categories : [];
  return new Set(listed.map((category) => textIn(isObject(category) ? category : null, 'name') ?? ''));
}

const nameLengthMax = 100;

function nameOf({ name }: JsonObject): string | null {
  if (typeof name !== 'string') return null;
  const line = name.replaceAll(/[\p{Cc}\p{Cs}]/gu, ' ').trim();
  return [...line].slice(0, nameLengthMax).join('') || null;
}

function areasIn(zone: JsonObject, path: string, values: ReturnType<typeof createPlanValues>) {
  return zone.areas === undefined ? [] : (values.list(zone.areas, `${path}.areas`) ?? []);
}

/** Null in a plan that others drew. */
function* extensionIn(zones: readonly (JsonObject | null)[], findings: Findings): Generator<void, Extension | null> {
  for (const [z, zone] of zones.entries()) {
    for (const [a, area] of (Array.isArray(zone?.areas) ? zone.areas : []).entries()) {
      if (a % areasPerStep === 0) yield;
      const text = extensionText(area);
      if (text === null) continue;
      const path = `zones.${z}.areas.${a}.text.text`;
      const parsed = yield* readJson(text);
      if (parsed.status === 'read') {
        const value = createPlanValues(findings).object(parsed.value, path);
        return value && { path, value };
      }
      findings.problem(path, `is broken: ${parsed.problem.message}`);
    }
  }
  return null;
}

function extensionText(area: Json): string | null {
  if (!isObject(area) || area.uuid !== areaMarks.extension || !isObject(area.text)) return null;
  return typeof area.text.text === 'string' ? area.text.text : null;
}

function* sourcesOf(
  sections: readonly PlanSection[],
  areas: { outlineOf(sectionId: string): Point[] | null },
  extension: JsonObject | null,
): Generator<SectionSource> {
  for (const section of sections) yield sourceOf(section, areas.outlineOf(section.id), extension);
}

function sourceOf(section: PlanSection, outline: Point[] | null, extension: JsonObject | null): SectionSource {
  const about = objectIn(objectIn(extension, 'sections'), section.id);
  const ofSeats = objectIn(extension, 'seats');
  return {
    id: section.id,
    name: section.name,
    nameEn: textIn(about, 'nameEn'),
    floor: textIn(about, 'floor'),
    floorEn: textIn(about, 'floorEn'),
    grade: textIn(about, 'grade') ?? firstGraded(section)?.grade ?? '',
    outline,
    rows: section.rows.map((row) => ({
      label: row.label,
      seats: row.seats.map((seat) => {
        const marks = objectIn(ofSeats, `${section.id}-${row.label}-${seat.label}`);
        if (marks === null) return seat;
        const marked = seatMarks.filter((mark) => marks[mark] === true).map((mark) => [mark, true]);
        return { ...seat, ...Object.fromEntries(marked), note: textIn(marks, 'note') };
      }),
    })),
  };
}

/** A section has the grade of its first seat, or of the first whose grade could be read. */
function firstGraded({ rows }: PlanSection): { grade: string; path: string } | null {
  for (const { seats, paths } of rows) {
    for (const [index, { grade }] of seats.entries()) {
      if (grade !== undefined) return { grade, path: paths[index] ?? '' };
    }
  }
  return null;
}

function objectIn(object: JsonObject | null, name: string): JsonObject | null {
  const member = memberOf(object, name);
  return isObject(member) ? member : null;
}

function textIn(object: JsonObject | null, name: string): string | null {
  const member = memberOf(object, name);
  return typeof member === 'string' ? member : null;
}

/** Pixels may be broken and left of the corner; layout units are neither. */
function* wholeAndPositive(document: LayoutDocument, findings: Findings): Generator<void, LayoutDocument> {
  let [left, top, isBroken] = [0, 0, false];
  const look = ({ x, y }: Point) => {
    left = Math.min(left, Math.floor(x));
    top = Math.min(top, Math.floor(y));
    isBroken ||= !Number.isInteger(x) || !Number.isInteger(y);
  };
  for (const points of pointsOf(document)) {
    for (const point of points) look(point);
    yield;
  }
  if (left === 0 && top === 0 && !isBroken) return document;
  if (isBroken) findings.warning('zones', 'positions were rounded to whole numbers');
  if (left < 0 || top < 0)
    findings.warning(
      'zones',
      `the plan was moved by ${-left} to the right and ${-top} down: no position may be negative`,
    );
  const move = <P extends Point>(point: P): P => ({
    ...point,
    x: Math.round(point.x - left),
    y: Math.round(point.y - top),
  });
  const sections = [];
  for (const section of document.sections) {
    const rows = section.rows.map((row) => ({ ...row, seats: row.seats.map(move) }));
    sections.push({ ...section, outline: section.outline?.map(move) ?? null, rows });
    yield;
  }
  const { stage, texts, standingAreas } = document;
  return {
    documentVersion: 2,
    stage: stage && { ...stage, outline: stage.outline.map(move) },
    texts: texts.map(move),
    sections,
    standingAreas: standingAreas.map((area) => ({ ...area, outline: area.outline?.map(move) ?? null })),
  };
}

const seatFields: Readonly<Record<string, string>> = {
  label: '.seat_number',
  x: '.position.x',
  y: '.position.y',
  grade: '.category',
};
const sectionFields: Readonly<Record<string, string>> = { id: '.zone_id', name: '.name', rows: '.rows' };

function pathOf(field: string, sections: readonly PlanSection[], areas: { pathOf(field: string): string }): string {
  const [, s, r, i, rest = ''] = /^sections\.(\d+)(?:\.rows\.(\d+)(?:\.seats\.(\d+))?)?(?:\.(.+))?$/.exec(field) ?? [];
  const section = sections[Number(s)];
  if (section === undefined) return areas.pathOf(field);
  if (r === undefined && rest === 'grade') return `${firstGraded(section)?.path ?? section.path}.category`;
  if (r === undefined) return `${section.path}${sectionFields[rest] ?? ''}`;
  const row = section.rows[Number(r)];
  if (i === undefined)
    return `${row?.paths[0]?.replace(/\.seats\.\d+$/, '') ?? section.path}${rest === 'label' ? '.row_number' : ''}`;
  return `${row?.paths[Number(i)] ?? section.path}${seatFields[rest] ?? ''}`;
}
