export type Milestone =
  | { readonly unit: 'hours' | 'minutes' | 'seconds'; readonly value: number; readonly ms: number }
  | { readonly unit: 'open'; readonly ms: 0 };

/** When a countdown may speak. Few, so that a screen reader stays usable; the last leaves time to get ready. */
const milestones: readonly Milestone[] = [
  { unit: 'open', ms: 0 },
  { unit: 'seconds', value: 10, ms: 10_000 },
  { unit: 'minutes', value: 1, ms: 60_000 },
  { unit: 'minutes', value: 5, ms: 300_000 },
  { unit: 'minutes', value: 10, ms: 600_000 },
  { unit: 'hours', value: 1, ms: 3_600_000 },
];

/** The milestone reached between two looks at the clock. After a long sleep only the latest counts. */
export function milestoneBetween(beforeMs: number, remainingMs: number): Milestone | null {
  return milestones.find(({ ms }) => beforeMs > ms && remainingMs <= ms) ?? null;
}
