import { gradeColour } from './grade-shapes.ts';
import type { Point } from './hull.ts';
import type { MapScene } from './map-scene.ts';
import { createSprites, type SeatLookName } from './seat-sprites.ts';
import { seatLook } from './seat-types.ts';
import type { Size, Viewport } from './viewport.ts';

export interface MapContent {
  readonly scene: MapScene;
  readonly states: Uint8Array;
  readonly free: Uint32Array;
  readonly chosen: ReadonlySet<number>;
  readonly mine: ReadonlySet<number>;
  readonly lost: ReadonlySet<number>;
  /** Index of the section that the list shows. */
  readonly section: number | null;
  /** Only this grade is of interest. */
  readonly grade: number | null;
  readonly stageName: string;
  sectionLabel(index: number): readonly [name: string, left: string];
  text(index: number): string;
}

/** Smaller seats would only be noise: then sections are shown. */
const seatPixelsMin = 5;
const fadedAlpha = 0.2;

export const seatsAreShown = (gap: number, scale: number) => gap * scale >= seatPixelsMin;

export function drawMap(
  context: CanvasRenderingContext2D,
  content: MapContent,
  look: {
    readonly viewport: Viewport;
    readonly size: Size;
    readonly ratio: number;
    readonly style: CSSStyleDeclaration;
  },
): void {
  const { scene } = content;
  const { viewport, size, ratio, style } = look;
  const colour = (name: string) => style.getPropertyValue(name);
  const onScreen = ({ x, y }: Point) => ({
    x: (x - viewport.x) * viewport.scale,
    y: (y - viewport.y) * viewport.scale,
  });
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, size.width, size.height);
  context.lineJoin = 'round';
  context.textAlign = 'center';
  context.textBaseline = 'middle';

  const trace = (points: readonly Point[]) => {
    context.beginPath();
    for (const [index, point] of points.entries()) {
      const { x, y } = onScreen(point);
      if (index === 0) context.moveTo(x, y);
      else context.lineTo(x, y);
    }
    context.closePath();
  };
  const write = (text: string, at: Point, pixels: number, weight = 700) => {
    context.font = `${weight} ${pixels}px ${style.fontFamily}`;
    context.fillText(text, at.x, at.y);
  };

  trace(scene.stage);
  context.fillStyle = colour('--ink');
  context.fill();
  const stage = onScreen(middle(scene.stage));
  context.fillStyle = colour('--paper');
  write(content.stageName, stage, 13);

  for (const { shape } of scene.areas) {
    trace(shape);
    context.fillStyle = colour('--sunk');
    context.fill();
    context.strokeStyle = colour('--line-strong');
    context.lineWidth = 1;
    context.stroke();
  }

  const showSeats = seatsAreShown(scene.plan.gap, viewport.scale);
  for (const section of scene.plan.sections) {
    const share = section.count === 0 ? 0 : (content.free[section.index] ?? 0) / section.count;
    const padding = section.isDrawn ? 1 : scene.plan.gap * viewport.scale;
    const isHere = content.section === section.index;
    trace(section.shape);
    // A stroke of the same colour rounds the corners and goes round the seats at the edge.
    const wash =
      share === 0 ? colour('--sunk') : mix(colour(gradeColour(section.grade)), colour('--surface'), 0.14 + share * 0.3);
    context.strokeStyle = isHere ? colour('--ink') : colour('--line-strong');
    context.lineWidth = padding + (isHere ? 5 : 2);
    context.stroke();
    context.fillStyle = wash;
    context.strokeStyle = wash;
    context.lineWidth = padding;
    context.stroke();
    context.fill();
  }

  if (showSeats) drawSeats(context, content, look);
  else {
    context.fillStyle = colour('--ink');
    for (const section of scene.plan.sections) {
      const at = onScreen(section.middle);
      const [name, left] = content.sectionLabel(section.index);
      const room = widthOf(section.shape) * viewport.scale;
      if (room < 22) continue;
      const pixels = Math.min(15, Math.max(10, room / 5));
      write(name, { x: at.x, y: at.y - (room < 60 ? 0 : pixels * 0.6) }, pixels, 800);
      if (room >= 60) write(left, { x: at.x, y: at.y + pixels * 0.7 }, pixels * 0.85, 500);
    }
  }

  context.fillStyle = colour('--ink-soft');
  for (const [index, { x, y, size: height }] of scene.plan.layout.texts.entries()) {
    const pixels = Math.max(11, Math.min(22, height * viewport.scale));
    write(content.text(index), onScreen({ x, y }), pixels, 500);
  }
}

function drawSeats(
  context: CanvasRenderingContext2D,
  content: MapContent,
  { viewport, size, ratio, style }: Parameters<typeof drawMap>[2],
): void {
  const { plan } = content.scene;
  const radius = plan.gap * viewport.scale * 0.42;
  const sprites = createSprites({ radius, ratio, style });
  const margin = radius * 2;
  context.setTransform(1, 0, 0, 1, 0, 0);
  for (let seatNo = 0; seatNo < plan.seatCount; seatNo += 1) {
    const x = ((plan.x[seatNo] ?? 0) - viewport.x) * viewport.scale;
    const y = ((plan.y[seatNo] ?? 0) - viewport.y) * viewport.scale;
    if (x < -margin || y < -margin || x > size.width + margin || y > size.height + margin) continue;
    const grade = plan.gradeOf[seatNo] ?? 0;
    const look = lookOf(seatNo, content);
    const isFaded = content.grade !== null && content.grade !== grade && look === 'free';
    context.globalAlpha = isFaded ? fadedAlpha : 1;
    const sprite = sprites(look, grade);
    context.drawImage(sprite, Math.round(x * ratio - sprite.width / 2), Math.round(y * ratio - sprite.height / 2));
  }
  context.globalAlpha = 1;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
}

function lookOf(seatNo: number, { states, chosen, mine, lost }: MapContent): SeatLookName {
  if (chosen.has(seatNo)) return 'chosen';
  if (mine.has(seatNo)) return 'mine';
  if (lost.has(seatNo)) return 'lost';
  return states[seatNo] === seatLook.free ? 'free' : 'taken';
}

function middle(points: readonly Point[]): Point {
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  return { x: (Math.min(...xs) + Math.max(...xs)) / 2, y: (Math.min(...ys) + Math.max(...ys)) / 2 };
}

function widthOf(points: readonly Point[]): number {
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  return Math.min(Math.max(...xs) - Math.min(...xs), (Math.max(...ys) - Math.min(...ys)) * 2.5);
}

/** So much of the first in the second; both `#rrggbb`, as the tokens are. */
function mix(first: string, second: string, share: number): string {
  const parts = (hex: string) => [1, 3, 5].map((at) => Number.parseInt(hex.trim().slice(at, at + 2), 16));
  const [from, to] = [parts(first), parts(second)];
  return `rgb(${from.map((value, index) => Math.round(value * share + (to[index] ?? 0) * (1 - share))).join(' ')})`;
}
