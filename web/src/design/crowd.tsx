/** The sign of urr: a crowd that becomes a line. */
export function Crowd({ className }: { readonly className?: string }) {
  return (
    <svg viewBox="0 0 120 30" className={className} fill="currentColor" aria-hidden="true">
      {dots.map(([x, y, r]) => (
        <circle key={`${x},${y}`} cx={x} cy={y} r={r} />
      ))}
    </svg>
  );
}

/** Crowd on the left, order on the right: x, y, radius. */
const dots: readonly (readonly [number, number, number])[] = [
  [4, 9, 2.2],
  [6, 21, 2.8],
  [12, 14, 3],
  [14, 26, 2],
  [15, 4, 2.4],
  [20, 20, 2.6],
  [22, 9, 2.8],
  [28, 15, 3],
  [29, 25, 2.2],
  [32, 6, 2],
  [36, 19, 2.8],
  [38, 11, 2.6],
  [45, 15, 3],
  [47, 21, 2],
  [55, 14.6, 3],
  [65, 15, 3],
  [75, 15, 3],
  [85, 15, 3],
  [95, 15, 3],
  [105, 15, 3],
  [115, 15, 3],
];
