/** Where the progress of this tab began, so that a reload does not start it anew. Forgotten with the tab. */
export function keptStartPosition(eventId: string) {
  const key = `urr.queue.${eventId}`;
  return {
    read(): number | null {
      try {
        const position = Number(sessionStorage.getItem(key));
        return Number.isInteger(position) && position > 0 ? position : null;
      } catch {
        return null;
      }
    },
    write(position: number | null): void {
      try {
        if (position === null) sessionStorage.removeItem(key);
        else sessionStorage.setItem(key, String(position));
      } catch {
        // Storage is forbidden: the progress starts anew after a reload, nothing else is lost.
      }
    },
  };
}
