import { Skeleton } from '../../design/skeleton.tsx';
import { eventColumns, eventPoster } from './layout.ts';

export function EventSkeleton() {
  return (
    <div className={eventColumns}>
      <Skeleton className={eventPoster} />
      <div>
        <Skeleton className="h-6 w-20 rounded-full" />
        <Skeleton className="mt-3 h-12 w-4/5" />
        <Skeleton className="mt-6 h-28 w-full" />
        <Skeleton className="mt-8 h-64 w-full rounded-card" />
      </div>
    </div>
  );
}
