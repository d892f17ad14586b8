import { isInside, type Point } from './hull.ts';
import { pointsOf, type SeatPlan } from './seat-plan.ts';
import { type Bounds, boundsOf } from './viewport.ts';

/** What of a hall is drawn, in its own units; worked out once. */
export interface MapScene {
  readonly plan: SeatPlan;
  readonly bounds: Bounds;
  readonly stage: readonly Point[];
  readonly areas: readonly { readonly id: string; readonly shape: readonly Point[] }[];
}

export function createScene(plan: SeatPlan): MapScene {
  const { layout, gap } = plan;
  const areas = layout.standingAreas.flatMap(({ id, outline }) =>
    outline === null ? [] : [{ id, shape: pointsOf(outline) }],
  );
  const shapes = [...plan.sections.map(({ shape }) => shape), ...areas.map(({ shape }) => shape)].flat();
  const house =
    shapes.length === 0 ? { left: 0, top: 0, right: layout.width, bottom: layout.height } : boundsOf(shapes, 0);
  const stage = layout.stage === null ? stageBefore(house) : pointsOf(layout.stage.outline);
  const texts = layout.texts.map(({ x, y }) => ({ x, y }));
  const corners = [
    { x: house.left, y: house.top },
    { x: house.right, y: house.bottom },
  ];
  return { plan, areas, stage, bounds: boundsOf([...corners, ...stage, ...texts], gap * 1.5) };
}

/** A drawing without a stage: y grows away from it, so it is at the upper edge. */
function stageBefore(house: Bounds): readonly Point[] {
  const width = house.right - house.left;
  const height = width / 14;
  const middle = (house.left + house.right) / 2;
  const bottom = house.top - height / 2;
  return [
    { x: middle - width / 5, y: bottom - height },
    { x: middle + width / 5, y: bottom - height },
    { x: middle + width / 5, y: bottom },
    { x: middle - width / 5, y: bottom },
  ];
}

/** The seat that is meant by a point: the nearest within reach, or none. */
export function seatAt(plan: SeatPlan, at: Point, reach: number): number | null {
  let nearest: number | null = null;
  let distance = reach;
  for (let seatNo = 0; seatNo < plan.seatCount; seatNo += 1) {
    const away = Math.hypot((plan.x[seatNo] ?? 0) - at.x, (plan.y[seatNo] ?? 0) - at.y);
    if (away > distance) continue;
    nearest = seatNo;
    distance = away;
  }
  return nearest;
}

export function sectionAt({ plan }: MapScene, at: Point): number | null {
  const hit = plan.sections.find(({ shape }) => isInside(at, shape));
  if (hit !== undefined) return hit.index;
  // Shapes are drawn a little larger than the seats' middles reach.
  const seatNo = seatAt(plan, at, plan.gap);
  return seatNo === null ? null : (plan.sectionOf[seatNo] ?? null);
}
