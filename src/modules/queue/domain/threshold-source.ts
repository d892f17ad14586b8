export const thresholdSources = ['operator', 'event', 'default'] as const;
export type ThresholdSource = (typeof thresholdSources)[number];

/** Who decided the threshold in force. */
export function thresholdSource(
  set: { readonly threshold: number | null } | undefined,
  facts: { readonly threshold: number | null },
): ThresholdSource {
  if ((set?.threshold ?? null) !== null) return 'operator';
  return facts.threshold === null ? 'default' : 'event';
}
