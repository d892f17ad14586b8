import { layoutLimits, type Point } from '../layout.ts';
import type { LayoutSource } from '../layout-source.ts';
import type { Json } from './json-text.ts';
import { type Findings, isObject, type JsonObject, memberOf, type PlanValues } from './plan-values.ts';
import { areaMarks, cornersOf, textOn } from './pretix-areas.ts';

const stageWords = /stage|무대|스테이지|bühne/i;

/** Stand in for what could not be read, which was told. */
const standIns = { name: 'unread', capacity: 1 } as const;

/** Of areas that have an outline. */
const ownMarks = [areaMarks.outline, areaMarks.standing, areaMarks.stage];

type Texts = NonNullable<LayoutSource['texts']>;

/** What we put beside a plan when we wrote it. Others may have written in it since. */
export interface Extension {
  readonly path: string;
  readonly value: JsonObject;
}

/** Sorts areas: those that we marked when we wrote the plan, a stage, texts; nothing else has a place here. */
export function createAreaReader({
  values,
  findings,
  extension,
}: {
  values: PlanValues;
  findings: Findings;
  extension: Extension | null;
}) {
  const outlines = new Map<string, { corners: Point[]; path: string }>();
  const texts: Texts[number][] = [];
  const textPaths: string[] = [];
  let foreignStage: { name: string; corners: Point[]; path: string } | null = null;

  function addText(area: JsonObject, path: string, at: Point, mark: string): void {
    const text = textOn(area, path, values, at);
    if (text === null) return;
    const english = mark.startsWith(areaMarks.text)
      ? listIn(extension, 'texts')[Number(mark.slice(areaMarks.text.length))]
      : null;
    texts.push({
      ...text,
      size: Math.max(1, Math.round(text.size)),
      textEn: typeof english === 'string' ? english : null,
    });
    textPaths.push(path);
  }

  function addForeign(area: JsonObject, path: string, at: Point): void {
    const problemsBefore = findings.problemsTotal;
    const corners = cornersOf(area, path, values, at);
    const text = textOn(area, path, values, at);
    // What it is cannot be said then.
    if (findings.problemsTotal > problemsBefore) return;
    if (text !== null && corners !== null && foreignStage === null && stageWords.test(text.text)) {
      if (area.shape === 'circle' || area.shape === 'ellipse')
        findings.lost('a round stage became a polygon', `${path}.shape`);
      foreignStage = { name: text.text, corners, path };
      return;
    }
    findings.lost('an area that is neither a stage nor a text was left out (standing areas need a capacity)', path);
    if (text !== null) addText(area, path, at, '');
  }

  // One more than allowed, for the check to see.
  const standing = listIn(extension, 'standingAreas').slice(0, layoutLimits.standingAreasMax + 1);
  const standingIds: string[] = [];
  const namesOf = (object: JsonObject, path: string) => ({
    name: values.text(object.name, `${path}.name`) ?? standIns.name,
    nameEn: values.optionalText(object.nameEn, `${path}.nameEn`),
  });

  return {
    read(value: Json, path: string, zone: Point): void {
      const area = values.object(value, path);
      if (area === null) return;
      const mark = typeof area.uuid === 'string' ? area.uuid : '';
      if (mark === areaMarks.extension) return;
      const at = values.placeOf(area.position ?? { x: 0, y: 0 }, path, zone);
      if (area.shape === 'text') addText(area, path, at, mark);
      else if (ownMarks.some((known) => mark.startsWith(known))) {
        const corners = cornersOf(area, path, values, at);
        if (corners !== null && !values.isUnplaced(path)) outlines.set(mark, { corners, path });
      } else addForeign(area, path, at);
    },
    texts: (): Texts => texts,
    outlineOf: (sectionId: string) => outlines.get(`${areaMarks.outline}${sectionId}`)?.corners ?? null,
    stage(): NonNullable<LayoutSource['stage']> | null {
      if (foreignStage !== null) return { name: foreignStage.name, outline: foreignStage.corners };
      const drawn = outlines.get(areaMarks.stage);
      const named = memberOf(extension?.value ?? null, 'stage');
      if (drawn === undefined || !isObject(named)) return null;
      return { ...namesOf(named, `${extension?.path}.stage`), outline: drawn.corners };
    },
    standingAreas(): LayoutSource['standingAreas'] {
      return standing.flatMap((value, index) => {
        const path = `${extension?.path}.standingAreas.${index}`;
        const area = values.object(value, path);
        if (area === null) return [];
        const id = values.text(area.id, `${path}.id`);
        const names = namesOf(area, path);
        const capacity = values.number(area.capacity, `${path}.capacity`) ?? standIns.capacity;
        if (id === null) return [];
        standingIds.push(id);
        return [{ id, ...names, capacity, outline: outlines.get(`${areaMarks.standing}${id}`)?.corners ?? null }];
      });
    },
    /** Where a field of the document was drawn. */
    pathOf(field: string): string {
      const [, thing, index] = /^(texts|standingAreas|stage)(?:\.(\d+))?/.exec(field) ?? [];
      if (thing === 'texts') return textPaths[Number(index)] ?? 'zones';
      if (thing === 'stage') return foreignStage?.path ?? outlines.get(areaMarks.stage)?.path ?? 'zones';
      return outlines.get(`${areaMarks.standing}${standingIds[Number(index)]}`)?.path ?? extension?.path ?? '';
    },
  };
}

function listIn(extension: Extension | null, name: string): readonly Json[] {
  const list = memberOf(extension?.value ?? null, name);
  return Array.isArray(list) ? list : [];
}
