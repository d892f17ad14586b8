import { classNames } from '../../design/class-names.ts';

const dots = Array.from({ length: 25 }, (_, index) => index);

/** The way from where one began to the door, as a line of people; the large one is oneself. */
export function LineProgress({ share, label }: { readonly share: number; readonly label: string }) {
  const within = Math.min(1, Math.max(0, share));
  const own = Math.round(within * (dots.length - 1));
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuenow={Math.round(within * 100)}
      aria-valuemin={0}
      aria-valuemax={100}
      className="flex h-6 items-center justify-between"
    >
      {dots.map((dot) => (
        <span
          key={dot}
          className={classNames(
            'block rounded-full motion-safe:transition-all motion-safe:duration-500',
            dot === own ? 'size-4' : 'size-1.5 sm:size-2',
            dot <= own ? 'bg-seal' : 'bg-line',
          )}
        />
      ))}
    </div>
  );
}
