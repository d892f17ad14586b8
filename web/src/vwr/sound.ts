/** A bell for the turn. Browsers let a page make a sound only after a tap, so it is asked for. */
export function createBell() {
  let context: AudioContext | null = null;

  function tone(atSeconds: number, hertz: number): void {
    if (context === null) return;
    const [oscillator, volume] = [context.createOscillator(), context.createGain()];
    const start = context.currentTime + atSeconds;
    oscillator.frequency.value = hertz;
    volume.gain.setValueAtTime(0.2, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + 0.6);
    oscillator.connect(volume).connect(context.destination);
    oscillator.start(start);
    oscillator.stop(start + 0.6);
  }

  return {
    isOn: () => context !== null,
    toggle(): void {
      if (context !== null) {
        context.close().catch(() => {});
        context = null;
        return;
      }
      context = new AudioContext();
      tone(0, 660);
    },
    ring(): void {
      for (const [index, hertz] of [660, 880, 1_100].entries()) tone(index * 0.25, hertz);
    },
  };
}
