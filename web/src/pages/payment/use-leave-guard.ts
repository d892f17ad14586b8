import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

/** Asks before a page is left, closed or reloaded while something is under way. */
export function useLeaveGuard(isUnderWay: boolean, question: string): void {
  const { history } = useRouter();
  useEffect(() => {
    if (!isUnderWay) return;
    return history.block({ blockerFn: () => !confirm(question), enableBeforeUnload: true });
  }, [history, isUnderWay, question]);
}
