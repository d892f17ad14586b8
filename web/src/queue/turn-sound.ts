import { hasTabLocks, tryLock } from './tab-locks.ts';

/**
 * A short chime, made by the browser itself. Browsers play nothing before the visitor has touched the page: `blocked` says
 * so, and the first touch or key, or the button on the page, unlocks it.
 */
export type SoundState = 'off' | 'blocked' | 'ready';

export interface TurnSound {
  state(): SoundState;
  subscribe(listener: () => void): () => void;
  /** From a press of the button: unlocks, and lets one hear what to expect; or turns it off. */
  toggle(): void;
  ring(): void;
  close(): void;
}

const notes = [
  { hertz: 659.25, atSeconds: 0 },
  { hertz: 783.99, atSeconds: 0.18 },
  { hertz: 1046.5, atSeconds: 0.36 },
] as const;
const noteSeconds = 0.5;
const loudness = 0.25;
const vibration = [200, 100, 200, 100, 400];

/** All tabs of a browser learn of the turn, and one of them rings. */
const otherTabsQuietMs = 60_000;

export function createTurnSound(): TurnSound {
  const context = 'AudioContext' in globalThis ? new AudioContext() : null;
  const listeners = new Set<() => void>();
  let wanted = true;

  const state = (): SoundState => {
    if (context === null || !wanted) return 'off';
    return context.state === 'running' ? 'ready' : 'blocked';
  };
  const tell = () => {
    for (const listener of listeners) listener();
  };
  // Resolves only once the browser allows it, maybe never; the change of state is what counts.
  const unlock = () => void context?.resume().catch(() => undefined);
  context?.addEventListener('statechange', tell);
  addEventListener('pointerdown', unlock);
  addEventListener('keydown', unlock);

  function play(): void {
    if (context === null || context.state !== 'running') return;
    for (const { hertz, atSeconds } of notes) {
      const from = context.currentTime + atSeconds;
      const volume = context.createGain();
      volume.gain.setValueAtTime(loudness, from);
      volume.gain.exponentialRampToValueAtTime(0.001, from + noteSeconds);
      const tone = context.createOscillator();
      tone.frequency.value = hertz;
      tone.connect(volume).connect(context.destination);
      tone.start(from);
      tone.stop(from + noteSeconds);
    }
  }

  async function ringAlone(): Promise<void> {
    const release = await tryLock('urr-queue-chime');
    if (release === null && hasTabLocks) return;
    setTimeout(() => release?.(), otherTabsQuietMs);
    play();
    // Not on every device, and not before a touch; never an error.
    if ('vibrate' in navigator && navigator.userActivation?.hasBeenActive === true) navigator.vibrate(vibration);
  }

  return {
    state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    toggle() {
      const before = state();
      wanted = before !== 'ready';
      if (wanted) void context?.resume().then(play, () => undefined);
      tell();
    },
    ring() {
      if (wanted) void ringAlone().catch(() => undefined);
    },
    close() {
      removeEventListener('pointerdown', unlock);
      removeEventListener('keydown', unlock);
      context?.removeEventListener('statechange', tell);
      void context?.close();
    },
  };
}
