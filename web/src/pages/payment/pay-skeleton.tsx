import { Skeleton } from '../../design/skeleton.tsx';
import { columns, formColumn, sideColumn } from './layout.ts';

export function PaySkeleton() {
  return (
    <>
      <Skeleton className="mt-3 h-14 w-full rounded-card" />
      <div className={columns}>
        <Skeleton className={`${sideColumn} h-14 rounded-card lg:h-80`} />
        <div className={formColumn}>
          <Skeleton className="h-9 w-40" />
          <Skeleton className="mt-6 h-40 w-full rounded-card" />
          <Skeleton className="mt-5 h-96 w-full rounded-card" />
        </div>
      </div>
    </>
  );
}
