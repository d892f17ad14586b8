import { Skeleton } from '../../design/skeleton.tsx';
import { columns } from './layout.ts';

export function SeatsSkeleton() {
  return (
    <div className={columns}>
      <div>
        <Skeleton className="h-9 w-2/3" />
        <Skeleton className="mt-4 h-12 w-full" />
        <Skeleton className="mt-4 h-[clamp(15rem,42dvh,26rem)] w-full rounded-card lg:h-[min(34rem,58dvh)]" />
      </div>
      <Skeleton className="h-64 w-full rounded-card" />
    </div>
  );
}
