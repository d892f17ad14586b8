import { useEffect, useMemo, useRef, useState } from 'react';
import { Icon, type IconName } from '../design/icon.tsx';
import { useI18n } from '../i18n/i18n.tsx';
import type { MapContent } from './draw-map.ts';
import { createScene } from './map-scene.ts';
import { createMapView, type MapView } from './map-view.ts';
import { sectionName } from './seat-names.ts';
import type { SeatPlan } from './seat-plan.ts';
import type { SeatsSeen } from './seat-state-name.ts';
import { type MapGestures, useMapGestures } from './use-map-gestures.ts';

export interface SeatMapProps {
  readonly plan: SeatPlan;
  readonly seen: SeatsSeen;
  readonly free: Uint32Array;
  readonly section: number | null;
  readonly grade: number | null;
  readonly onSection: (index: number | null) => void;
  readonly onSeat: (seatNo: number) => void;
}

const zoomStep = 1.6;

/** The hall as a picture, for eyes and fingers. Everything on it can be done in the list as well, which is what a screen reader reads. */
export function SeatMap({ plan, seen, free, section, grade, onSection, onSeat }: SeatMapProps) {
  const i18n = useI18n();
  const { t, format, pick } = i18n;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [view, setView] = useState<MapView | null>(null);
  const scene = useMemo(() => createScene(plan), [plan]);
  const content: MapContent = {
    scene,
    ...seen,
    free,
    section,
    grade,
    stageName: plan.layout.stage === null ? t.seats.stage : pick(plan.layout.stage.name, plan.layout.stage.nameEn),
    sectionLabel(index) {
      const one = plan.sections[index];
      const left = free[index] ?? 0;
      const words = left === 0 ? t.seats.noneLeft : t.seats.left(format.count(left));
      return one === undefined ? ['', ''] : [one.id.length <= 4 ? one.id : sectionName(one, i18n), words];
    },
    text(index) {
      const one = plan.layout.texts[index];
      return one === undefined ? '' : pick(one.text, one.textEn);
    },
  };
  const newest = useRef(content);
  newest.current = content;

  useEffect(() => {
    const element = canvas.current;
    if (element === null) return;
    const made = createMapView(element, newest.current);
    const watchSize = new ResizeObserver(() =>
      made.resize({ width: element.clientWidth, height: element.clientHeight }),
    );
    watchSize.observe(element);
    // A theme is another set of colours.
    const watchTheme = new MutationObserver(made.redraw);
    watchTheme.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    setView(made);
    return () => {
      watchSize.disconnect();
      watchTheme.disconnect();
      made.stop();
    };
  }, []);
  useEffect(() => view?.show(content));
  useEffect(() => {
    if (section === null) view?.whole();
    else view?.goToSection(section);
  }, [view, section]);

  const gestures = useRef<MapGestures>({ pan: () => {}, zoom: () => {}, tap: () => {} });
  gestures.current = {
    pan: (moved) => view?.pan(moved),
    zoom: (factor, at) => view?.zoom(factor, at),
    tap(at) {
      const tapped = view?.tapAt(at) ?? null;
      if (tapped?.kind === 'seat') onSeat(tapped.seatNo);
      else if (tapped?.kind === 'section') onSection(tapped.index);
    },
  };
  useMapGestures(canvas, gestures);

  const whole = () => {
    onSection(null);
    view?.whole();
  };
  return (
    <figure aria-label={t.seats.map} className="relative overflow-hidden rounded-card border border-line bg-surface">
      <div className="relative">
        <canvas
          ref={canvas}
          data-seat-map
          className="block h-[clamp(15rem,42dvh,26rem)] w-full cursor-pointer select-none lg:h-[min(34rem,58dvh)]"
        />
        <div className="absolute right-3 bottom-3 flex flex-col gap-1.5">
          <MapButton icon="plus" label={t.seats.zoomIn} onClick={() => view?.zoom(zoomStep)} />
          <MapButton icon="minus" label={t.seats.zoomOut} onClick={() => view?.zoom(1 / zoomStep)} />
          <MapButton icon="whole" label={t.seats.whole} onClick={whole} />
        </div>
      </div>
      <figcaption className="border-line border-t px-4 py-2 text-ink-soft text-meta">{t.seats.mapHint}</figcaption>
    </figure>
  );
}

function MapButton({
  icon,
  label,
  onClick,
}: {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: () => void;
}) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="inline-flex size-11 items-center justify-center rounded-full border border-line-strong bg-surface shadow-lift hover:bg-sunk"
    >
      <Icon name={icon} />
      <span className="sr-only">{label}</span>
    </button>
  );
}
