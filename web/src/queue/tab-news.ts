import type { TabNews } from './queue-session.ts';

/** Word between the tabs of one browser that wait for the same event. Without the channel (old browsers) each asks for itself. */
export function openTabNews(eventId: string, hear: (news: TabNews) => void) {
  const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel(`urr-queue-${eventId}`) : null;
  channel?.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (data === 'turn' || data === 'left' || data === 'passed') hear(data);
  });
  return {
    tell: (news: TabNews) => channel?.postMessage(news),
    close: () => channel?.close(),
  };
}
