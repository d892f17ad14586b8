import { classNames } from './class-names.ts';

/**
 * Where the stub of a ticket is torn off: a dotted line with a notch at each end. Lies across, or stands upright from
 * the given width on. The notches have the colour of the page, so the ticket must lie right on it.
 */
export function Perforation({ upright = false }: { readonly upright?: boolean }) {
  return (
    <div
      aria-hidden="true"
      className={classNames(
        'perforation relative h-5 w-full shrink-0',
        upright && 'md:h-auto md:w-5 md:self-stretch md:perforation-upright',
      )}
    >
      <span className={classNames(notch, '-left-2.5 top-0', upright && 'md:-top-2.5 md:left-0')} />
      <span className={classNames(notch, '-right-2.5 top-0', upright && 'md:top-auto md:right-0 md:-bottom-2.5')} />
    </div>
  );
}

const notch = 'absolute size-5 rounded-full border border-line bg-paper';
