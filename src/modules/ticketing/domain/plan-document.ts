import { assert } from '#platform/assert.ts';
import type { Offer } from './offer.ts';
import type { PlanDocument } from './seat-plan.ts';

/** As much of catalog's drawing as selling needs. */
export interface DrawnLayout {
  readonly width: number;
  readonly grades: readonly string[];
  readonly stage: { readonly outline: { readonly x: readonly number[]; readonly y: readonly number[] } } | null;
  readonly sections: readonly {
    readonly id: string;
    readonly rows: PlanDocument['sections'][number]['rows'];
  }[];
}

/**
 * The seats of a drawing with the prices of an event. Grades stand in the order of the price list, which is the seller's, the best first.
 * A section at a time, since a hall may have 100,000 seats.
 */
export function* planDocumentSteps(layout: DrawnLayout, offer: Offer): Generator<void, PlanDocument> {
  const grades = offer.prices.filter(({ grade }) => layout.grades.includes(grade));
  const indexes = layout.grades.map((grade) => grades.findIndex((priced) => priced.grade === grade));
  assert(!indexes.includes(-1), `the layout ${offer.layoutId} has a grade without a price`);
  const sections: PlanDocument['sections'][number][] = [];
  for (const { id, rows } of layout.sections) {
    sections.push({
      id,
      rows: rows.map(({ label, labels, grades: ofLayout, x, y }) => ({
        label,
        labels,
        // Every index of the layout has one here, as was asserted.
        grades: ofLayout.map((index) => indexes[index] as number),
        x,
        y,
      })),
    });
    yield;
  }
  return {
    grades: grades.map(({ grade, priceKrw }) => ({ grade, priceKrw })),
    sections,
    stage: stageOf(layout),
    ticketTypes: offer.ticketTypes.map(({ id, areaId, name, nameEn, capacity, priceKrw }) => ({
      ticketTypeId: id,
      areaId,
      name,
      nameEn,
      capacity,
      priceKrw,
    })),
  };
}

function stageOf({ stage, width }: DrawnLayout): PlanDocument['stage'] {
  // Without a stage the rows look at the front edge: y grows away from it.
  if (stage === null) return { x: Math.round(width / 2), y: 0 };
  const middle = (values: readonly number[]) => Math.round((Math.min(...values) + Math.max(...values)) / 2);
  return { x: middle(stage.outline.x), y: middle(stage.outline.y) };
}

/** JSON of a document, a section at a time. */
export function* planTextSteps({ sections, ...rest }: PlanDocument): Generator<void, string> {
  const texts: string[] = [];
  for (const section of sections) {
    texts.push(JSON.stringify(section));
    yield;
  }
  return `${JSON.stringify(rest).slice(0, -1)},"sections":[${texts.join(',')}]}`;
}
