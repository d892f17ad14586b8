import type { Point } from './hull.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Bounds {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Which part of the hall is in sight: the point at the canvas's corner, and how many pixels a unit of the drawing takes. */
export interface Viewport extends Point {
  readonly scale: number;
}

/** Everything in these bounds, as large as it can be, in the middle. */
export function fitInto(bounds: Bounds, size: Size, scaleMax = Number.POSITIVE_INFINITY): Viewport {
  const width = Math.max(1, bounds.right - bounds.left);
  const height = Math.max(1, bounds.bottom - bounds.top);
  const scale = Math.min(scaleMax, size.width / width, size.height / height);
  return {
    scale,
    x: (bounds.left + bounds.right) / 2 - size.width / scale / 2,
    y: (bounds.top + bounds.bottom) / 2 - size.height / scale / 2,
  };
}

/** What is under this point of the screen stays under it. */
export function zoomAt(viewport: Viewport, factor: number, at: Point, limits: { min: number; max: number }): Viewport {
  const scale = Math.min(limits.max, Math.max(limits.min, viewport.scale * factor));
  const { x, y } = toWorld(viewport, at);
  return { scale, x: x - at.x / scale, y: y - at.y / scale };
}

export function panBy(viewport: Viewport, moved: Point): Viewport {
  return { ...viewport, x: viewport.x - moved.x / viewport.scale, y: viewport.y - moved.y / viewport.scale };
}

/** The hall never leaves the screen: its middle part stays in sight, and what is smaller than the screen stays whole. */
export function keepInSight(viewport: Viewport, bounds: Bounds, size: Size): Viewport {
  const within = (from: number, to: number, length: number, value: number) => {
    const seen = length / viewport.scale;
    if (seen >= to - from) return (from + to - seen) / 2;
    return Math.min(to - seen, Math.max(from, value));
  };
  return {
    ...viewport,
    x: within(bounds.left, bounds.right, size.width, viewport.x),
    y: within(bounds.top, bounds.bottom, size.height, viewport.y),
  };
}

export function toWorld(viewport: Viewport, at: Point): Point {
  return { x: viewport.x + at.x / viewport.scale, y: viewport.y + at.y / viewport.scale };
}

export function boundsOf(points: readonly Point[], padding: number): Bounds {
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  return {
    left: xs.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY) - padding,
    top: ys.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY) - padding,
    right: xs.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY) + padding,
    bottom: ys.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY) + padding,
  };
}
