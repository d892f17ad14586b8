import { gradeColour, gradeShape } from './grade-shapes.ts';

export type SeatLookName = 'free' | 'taken' | 'chosen' | 'mine' | 'lost';

interface SpriteLook {
  /** Of a seat, in CSS pixels. */
  readonly radius: number;
  readonly ratio: number;
  readonly style: CSSStyleDeclaration;
}

/** Seats are drawn once for each look and then copied: twenty thousand copies fit into a frame, as many paths do not. */
export function createSprites(look: SpriteLook): (name: SeatLookName, grade: number) => HTMLCanvasElement {
  const made = new Map<string, HTMLCanvasElement>();
  return (name, grade) => {
    const key = name === 'free' ? `${name}${grade}` : name;
    const known = made.get(key);
    if (known !== undefined) return known;
    const sprite = draw(name, grade, look);
    made.set(key, sprite);
    return sprite;
  };
}

/** The shapes are drawn for a radius of ten. */
const shapeRadius = 10;

function draw(name: SeatLookName, grade: number, { radius, ratio, style }: SpriteLook): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  const side = Math.ceil(radius * 2.6 * ratio);
  canvas.width = side;
  canvas.height = side;
  const context = canvas.getContext('2d');
  if (context === null) return canvas;
  const colour = (variable: string) => style.getPropertyValue(variable);
  const scale = (radius * ratio) / shapeRadius;
  context.setTransform(scale, 0, 0, scale, side / 2, side / 2);
  context.lineCap = 'round';
  if (name === 'free') {
    context.fillStyle = colour(gradeColour(grade));
    context.fill(new Path2D(gradeShape(grade)));
  } else if (name === 'taken') {
    context.fillStyle = colour('--line');
    context.fill(new Path2D('M4.5 0A4.5 4.5 0 1 1-4.5 0A4.5 4.5 0 1 1 4.5 0Z'));
  } else if (name === 'lost') {
    context.strokeStyle = colour('--amber');
    context.lineWidth = 4;
    context.stroke(new Path2D('M-7-7 7 7M7-7-7 7'));
  } else {
    context.fillStyle = colour(name === 'chosen' ? '--seal' : '--jade');
    context.fill(new Path2D('M12 0A12 12 0 1 1-12 0A12 12 0 1 1 12 0Z'));
    context.strokeStyle = colour('--surface');
    context.lineWidth = 3.4;
    context.stroke(new Path2D('M-5 .5-1.5 4 5.5-4'));
  }
  return canvas;
}
