import { useEffect, useRef, useState } from 'react';
import { createTurnSound, type SoundState, type TurnSound } from './turn-sound.ts';
import type { FollowedQueue } from './urgency.ts';

export interface SoundControl {
  readonly state: SoundState;
  toggle(): void;
  ring(): void;
}

const silent: SoundControl = { state: 'off', toggle: () => undefined, ring: () => undefined };

/** One for the whole tab: what a touch has unlocked on the queue's page stays so on the others. */
let shared: TurnSound | null = null;
let users = 0;

/** The chime of this tab, made when it is wanted first and closed when nobody wants it any more. */
export function useTurnSound(isWanted = true): SoundControl {
  const [control, setControl] = useState(silent);
  useEffect(() => {
    if (!isWanted) return;
    shared ??= createTurnSound();
    users += 1;
    const sound = shared;
    const update = () => setControl({ state: sound.state(), toggle: sound.toggle, ring: sound.ring });
    update();
    const unsubscribe = sound.subscribe(update);
    return () => {
      unsubscribe();
      setControl(silent);
      users -= 1;
      if (users > 0) return;
      sound.close();
      shared = null;
    };
  }, [isWanted]);
  return control;
}

/** Rings when a turn comes, on whichever page; silent until the browser allows it, and then once. */
export function useTurnChime(followed: readonly FollowedQueue[]): void {
  const sound = useTurnSound(followed.length > 0);
  const before = useRef(new Map<string, string>());
  const isDue = useRef(false);
  useEffect(() => {
    // A slot that is there from the start was told before the page was loaded.
    const hasBegun = followed.some(({ eventId, view }) => {
      const kind = before.current.get(eventId);
      return view.kind === 'turn' && kind !== undefined && kind !== 'turn';
    });
    before.current = new Map(followed.map(({ eventId, view }) => [eventId, view.kind]));
    const hasTurn = followed.some(({ view }) => view.kind === 'turn');
    isDue.current = hasTurn && (isDue.current || hasBegun);
    if (!isDue.current || sound.state !== 'ready') return;
    isDue.current = false;
    sound.ring();
  }, [followed, sound]);
}
