import { crowdDots } from './crowd-dots.ts';

/** The sign of urr: a crowd that becomes a line. */
export function Crowd({ className }: { readonly className?: string }) {
  return (
    <svg viewBox="0 0 120 30" className={className} fill="currentColor" aria-hidden="true">
      {crowdDots.map(([x, y, r]) => (
        <circle key={`${x},${y}`} cx={x} cy={y} r={r} />
      ))}
    </svg>
  );
}
