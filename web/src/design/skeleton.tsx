import { classNames } from './class-names.ts';

/** Keeps the room of something that is on its way. The size comes with the class. */
export function Skeleton({ className }: { readonly className: string }) {
  return <div aria-hidden="true" className={classNames('skeleton rounded-control', className)} />;
}
