import { Badge, type Tone } from '../../design/badge.tsx';
import type { EventDetail } from '../../events/event-types.ts';
import { type PhaseState, phaseStates } from '../../events/sale-state.ts';
import { useI18n } from '../../i18n/i18n.tsx';
import { SeoulTime } from '../../i18n/seoul-time.tsx';

/** Who may buy from when: a line of moments, the way people read a timetable. */
export function Phases({ event, nowMs }: { readonly event: EventDetail; readonly nowMs: number }) {
  const { t } = useI18n();
  const { phaseNow, phaseNext, phaseOver } = t.event;
  const words = { now: phaseNow, sold_out: t.status.sold_out, next: phaseNext, over: phaseOver };
  return (
    <ol className="relative ml-1.5 border-line border-l-2">
      {phaseStates(event, nowMs).map((phase) => (
        <li key={phase.tier} className="relative pb-6 pl-7">
          <Dot state={phase.state} />
          <p className="flex flex-wrap items-center gap-2 font-bold">
            {t.event.tiers[phase.tier]}
            <Badge tone={tones[phase.state]}>{words[phase.state]}</Badge>
          </p>
          <p className="mt-1 text-[0.9375rem]">
            <SeoulTime at={new Date(phase.opensAt).toISOString()} />
          </p>
        </li>
      ))}
      <li className="relative pl-7">
        <Dot state="over" />
        <p className="font-bold">{t.event.close}</p>
        <p className="mt-1 text-[0.9375rem]">
          <SeoulTime at={event.saleClosesAt} />
        </p>
      </li>
    </ol>
  );
}

function Dot({ state }: { readonly state: PhaseState['state'] }) {
  const look =
    state === 'now'
      ? 'bg-jade border-jade'
      : state === 'next'
        ? 'bg-paper border-indigo'
        : 'bg-paper border-line-strong';
  return (
    <span aria-hidden="true" className={`absolute top-1.5 -left-[0.5625rem] size-4 rounded-full border-3 ${look}`} />
  );
}

const tones: Readonly<Record<PhaseState['state'], Tone>> = {
  now: 'jade',
  sold_out: 'seal',
  next: 'indigo',
  over: 'plain',
};
