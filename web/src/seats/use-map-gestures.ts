import { type RefObject, useEffect } from 'react';
import type { Point } from './hull.ts';

export interface MapGestures {
  pan(moved: Point): void;
  zoom(factor: number, at: Point): void;
  tap(at: Point): void;
}

/** Farther than this a finger means to move. */
const tapReachPixels = 8;

/** One finger or the mouse moves, two fingers or the wheel with Ctrl zoom, a short touch is a tap. Points are on the element. */
export function useMapGestures(element: RefObject<HTMLElement | null>, gestures: RefObject<MapGestures>): void {
  useEffect(() => {
    const target = element.current;
    if (target === null) return;
    const fingers = new Map<number, Point>();
    let moved = 0;
    const pointOf = ({ clientX, clientY }: { readonly clientX: number; readonly clientY: number }): Point => {
      const { left, top } = target.getBoundingClientRect();
      return { x: clientX - left, y: clientY - top };
    };
    const down = (event: PointerEvent) => {
      if (fingers.size === 0) moved = 0;
      fingers.set(event.pointerId, pointOf(event));
    };
    const move = (event: PointerEvent) => {
      const before = fingers.get(event.pointerId);
      if (before === undefined) return;
      const at = pointOf(event);
      const step = { x: at.x - before.x, y: at.y - before.y };
      moved += Math.hypot(step.x, step.y);
      if (moved <= tapReachPixels) return;
      if (!target.hasPointerCapture(event.pointerId)) target.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, at);
      const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
      if (other === undefined) {
        gestures.current.pan(step);
        return;
      }
      const apart = (one: Point) => Math.max(1, Math.hypot(one.x - other.x, one.y - other.y));
      gestures.current.zoom(apart(at) / apart(before), { x: (at.x + other.x) / 2, y: (at.y + other.y) / 2 });
    };
    const up = (event: PointerEvent) => {
      const isTap = fingers.size === 1 && moved <= tapReachPixels && fingers.has(event.pointerId);
      fingers.delete(event.pointerId);
      if (isTap) gestures.current.tap(pointOf(event));
    };
    const cancel = (event: PointerEvent) => void fingers.delete(event.pointerId);
    const wheel = (event: WheelEvent) => {
      // The wheel alone scrolls the page; a trackpad's pinch comes as a wheel with Ctrl.
      if (!event.ctrlKey) return;
      event.preventDefault();
      gestures.current.zoom(Math.exp(-event.deltaY / 200), pointOf(event));
    };
    target.addEventListener('pointerdown', down);
    target.addEventListener('pointermove', move);
    target.addEventListener('pointerup', up);
    target.addEventListener('pointercancel', cancel);
    target.addEventListener('wheel', wheel, { passive: false });
    return () => {
      target.removeEventListener('pointerdown', down);
      target.removeEventListener('pointermove', move);
      target.removeEventListener('pointerup', up);
      target.removeEventListener('pointercancel', cancel);
      target.removeEventListener('wheel', wheel);
    };
  }, [element, gestures]);
}
