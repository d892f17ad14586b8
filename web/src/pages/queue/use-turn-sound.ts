import { useEffect, useState } from 'react';
import { createTurnSound, type SoundState, type TurnSound } from '../../queue/turn-sound.ts';

export interface SoundControl {
  readonly state: SoundState;
  toggle(): void;
  ring(): void;
}

const silent: SoundControl = { state: 'off', toggle: () => undefined, ring: () => undefined };

/** The chime of this page, made when the page is there and closed with it. */
export function useTurnSound(): SoundControl {
  const [control, setControl] = useState(silent);
  useEffect(() => {
    const sound: TurnSound = createTurnSound();
    const update = () => setControl({ state: sound.state(), toggle: sound.toggle, ring: sound.ring });
    update();
    const unsubscribe = sound.subscribe(update);
    return () => {
      unsubscribe();
      sound.close();
    };
  }, []);
  return control;
}
