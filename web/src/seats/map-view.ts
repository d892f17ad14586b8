import { drawMap, type MapContent, seatsAreShown } from './draw-map.ts';
import type { Point } from './hull.ts';
import { seatAt, sectionAt } from './map-scene.ts';
import { boundsOf, fitInto, keepInSight, panBy, type Size, toWorld, type Viewport, zoomAt } from './viewport.ts';

/** What a tap meant. */
export type Tapped =
  | { readonly kind: 'seat'; readonly seatNo: number }
  | { readonly kind: 'section'; readonly index: number }
  | null;

/** The map on its canvas: moves and zooms by itself, without the page being drawn anew. */
export interface MapView {
  show(content: MapContent): void;
  resize(size: Size): void;
  /** The colours have changed. */
  redraw(): void;
  pan(moved: Point): void;
  zoom(factor: number, at?: Point): void;
  whole(): void;
  goToSection(index: number): void;
  isWhole(): boolean;
  tapAt(at: Point): Tapped;
  stop(): void;
}

/** Seats grow to this size at most; a finger needs no more. */
const seatPixelsMax = 56;
const seatPixelsInSection = 30;
/** In gaps between seats: a tap between four of them means the nearest. */
const tapReach = 0.85;

export function createMapView(canvas: HTMLCanvasElement, first: MapContent): MapView {
  const context = canvas.getContext('2d');
  let content = first;
  let size: Size = { width: 0, height: 0 };
  let viewport: Viewport = { x: 0, y: 0, scale: 1 };
  let isWhole = true;
  let frame = 0;

  const wholeView = () => fitInto(content.scene.bounds, size);
  const scaleMax = () => Math.max(wholeView().scale, seatPixelsMax / content.scene.plan.gap);

  function redraw(): void {
    if (frame !== 0) return;
    frame = requestAnimationFrame(() => {
      frame = 0;
      if (context === null || size.width === 0) return;
      const ratio = canvas.width / size.width;
      drawMap(context, content, { viewport, size, ratio, style: getComputedStyle(canvas) });
    });
  }

  function move(next: Viewport): void {
    const whole = wholeView();
    isWhole = next.scale <= whole.scale * 1.001;
    viewport = isWhole ? whole : keepInSight(next, content.scene.bounds, size);
    // While all is in sight a finger scrolls the page; afterwards it moves the map.
    canvas.style.touchAction = isWhole ? 'pan-y' : 'none';
    redraw();
  }

  return {
    show(next) {
      const isOther = next.scene !== content.scene;
      content = next;
      if (isOther) move(wholeView());
      else redraw();
    },
    resize(next) {
      const before = size;
      size = next;
      const ratio = Math.min(3, devicePixelRatio);
      canvas.width = Math.round(next.width * ratio);
      canvas.height = Math.round(next.height * ratio);
      const stays = before.width > 0 && !isWhole;
      move(stays ? viewport : wholeView());
    },
    redraw,
    pan: (moved) => move(panBy(viewport, moved)),
    zoom(factor, at = { x: size.width / 2, y: size.height / 2 }) {
      move(zoomAt(viewport, factor, at, { min: wholeView().scale, max: scaleMax() }));
    },
    whole: () => move(wholeView()),
    goToSection(index) {
      const section = content.scene.plan.sections[index];
      if (section === undefined || size.width === 0) return;
      const { gap } = content.scene.plan;
      move(fitInto(boundsOf(section.shape, gap * 1.5), size, seatPixelsInSection / gap));
    },
    isWhole: () => isWhole,
    tapAt(at) {
      const world = toWorld(viewport, at);
      const { plan } = content.scene;
      if (seatsAreShown(plan.gap, viewport.scale)) {
        const seatNo = seatAt(plan, world, plan.gap * tapReach);
        // Where all is in sight at once, seats are too small to be meant one by one.
        if (seatNo !== null && plan.gap * viewport.scale >= tapPixelsMin) return { kind: 'seat', seatNo };
      }
      const index = sectionAt(content.scene, world);
      return index === null ? null : { kind: 'section', index };
    },
    stop: () => cancelAnimationFrame(frame),
  };
}

const tapPixelsMin = 14;
