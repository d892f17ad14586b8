import { useSyncExternalStore } from 'react';
import { api } from './api.ts';
import { estimateClock, type Sample } from './clock-estimate.ts';

/**
 * The server's clock as this page knows it. `pending`: not asked yet. `device`: the server could not be asked, so the
 * device's own clock is used, and the page says so.
 */
export type ClockState = { readonly source: 'pending' | 'server' | 'device'; readonly offsetMs: number };

const samplesPerSync = 3;
/** Quartz drifts by seconds a day; a countdown wants better than that. */
const syncEveryMs = 5 * 60_000;
const retryAfterMs = 10_000;

let state: ClockState = { source: 'pending', offsetMs: 0 };
let timer: ReturnType<typeof setTimeout> | undefined;
let syncing = false;
const listeners = new Set<() => void>();

export function serverNow(): number {
  return localNow() + state.offsetMs;
}

export function useClockState(): ClockState {
  return useSyncExternalStore(subscribe, () => state);
}

/** Starts following the server's clock. A phone that slept, or lost its network, asks again when it comes back. */
export function startServerClock(): void {
  void sync();
  addEventListener('online', () => void sync());
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void sync();
  });
}

async function sync(): Promise<void> {
  if (syncing) return;
  syncing = true;
  clearTimeout(timer);
  try {
    const samples: Sample[] = [];
    for (let index = 0; index < samplesPerSync; index += 1) samples.push(await takeSample());
    update({ source: 'server', offsetMs: estimateClock(samples).offsetMs });
    timer = setTimeout(sync, syncEveryMs);
  } catch {
    // An older answer of the server is better than the device's clock.
    if (state.source !== 'server') update({ source: 'device', offsetMs: 0 });
    timer = setTimeout(sync, retryAfterMs);
  } finally {
    syncing = false;
  }
}

async function takeSample(): Promise<Sample> {
  const sentAt = localNow();
  const { now } = await api.getTime(undefined, { timeoutMs: 4_000 });
  return { sentAt, receivedAt: localNow(), serverAt: Date.parse(now) };
}

/** Steady while the page lives: somebody who sets the clock of the phone does not open the sale. */
function localNow(): number {
  return performance.timeOrigin + performance.now();
}

function update(next: ClockState): void {
  state = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
