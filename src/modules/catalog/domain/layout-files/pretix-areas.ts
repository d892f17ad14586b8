import { layoutLimits, type Point } from '../layout.ts';
import { isObject, type JsonObject, type PlanValues } from './plan-values.ts';

/** Marks what we drew by ourselves, so that it is known again. pretix keeps them, and shows them to nobody. */
export const areaMarks = {
  extension: 'urr:extension',
  outline: 'urr:outline:',
  standing: 'urr:standing:',
  stage: 'urr:stage',
  text: 'urr:text:',
} as const;

const roundCorners = 24;

/** The corners of an area in the coordinates of the whole plan, or null for one without any that can be read. */
export function cornersOf(area: JsonObject, path: string, values: PlanValues, at: Point): Point[] | null {
  const corners = cornersAround(area, path, values);
  if (corners === null) return null;
  const radians = ((typeof area.rotation === 'number' ? area.rotation : 0) * Math.PI) / 180;
  const [sin, cos] = [Math.sin(radians), Math.cos(radians)];
  return corners.map(({ x, y }) => ({
    x: at.x + x * cos - y * sin,
    y: at.y + x * sin + y * cos,
  }));
}

/** From the position of the area. */
function cornersAround(area: JsonObject, path: string, values: PlanValues): Point[] | null {
  switch (area.shape) {
    case 'polygon': {
      const polygon = values.object(area.polygon, `${path}.polygon`);
      const listed = polygon && values.list(polygon.points, `${path}.polygon.points`);
      // One more than allowed, for the check to see.
      const points = listed
        ?.slice(0, layoutLimits.outlinePointsMax + 1)
        .map((point, index) => values.point(point, `${path}.polygon.points.${index}`));
      return points?.every((point) => point !== null) ? points : null;
    }
    case 'rectangle': {
      const rectangle = values.object(area.rectangle, `${path}.rectangle`);
      const width = rectangle && values.number(rectangle.width, `${path}.rectangle.width`);
      const height = rectangle && values.number(rectangle.height, `${path}.rectangle.height`);
      if (width === null || height === null) return null;
      return [
        { x: 0, y: 0 },
        { x: width, y: 0 },
        { x: width, y: height },
        { x: 0, y: height },
      ];
    }
    case 'circle': {
      const circle = values.object(area.circle, `${path}.circle`);
      const radius = circle && values.number(circle.radius, `${path}.circle.radius`);
      return radius === null ? null : around({ x: radius, y: radius });
    }
    case 'ellipse': {
      const ellipse = values.object(area.ellipse, `${path}.ellipse`);
      const radius = ellipse && values.point(ellipse.radius, `${path}.ellipse.radius`);
      return radius === null ? null : around(radius);
    }
    default:
      return null;
  }
}

function around(radius: Point): Point[] {
  return Array.from({ length: roundCorners }, (_, corner) => {
    const angle = (corner / roundCorners) * 2 * Math.PI;
    return { x: radius.x * Math.cos(angle), y: radius.y * Math.sin(angle) };
  });
}

export interface AreaText extends Point {
  readonly text: string;
  readonly size: number;
}

/** As pretix has it when none is said. */
const pretixTextSize = 16;

/** What is written on an area, in the coordinates of the whole plan; null where nothing is. */
export function textOn(area: JsonObject, path: string, values: PlanValues, at: Point): AreaText | null {
  if (!isObject(area.text)) return null;
  const text = values.text(area.text.text, `${path}.text.text`);
  const offset = values.point(area.text.position ?? { x: 0, y: 0 }, `${path}.text.position`);
  const size = values.number(area.text.size ?? pretixTextSize, `${path}.text.size`);
  if (text === null || offset === null || size === null || text.trim() === '') return null;
  return { text, size, x: at.x + offset.x, y: at.y + offset.y };
}
