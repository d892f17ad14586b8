import { useEffect, useState } from 'react';
import { serverNow, useClockState } from './server-clock.ts';

/** The server's time, told anew at each full second of the server. Stands still when nothing on the page counts. */
export function useServerNow(counting: boolean): number {
  const clock = useClockState();
  const [now, setNow] = useState(serverNow);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a corrected clock is told at once, not at the next second
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tick = () => {
      const at = serverNow();
      setNow(at);
      if (counting) timer = setTimeout(tick, 1_000 - (at % 1_000));
    };
    tick();
    return () => clearTimeout(timer);
  }, [counting, clock]);
  return now;
}
