/** How long a call to a provider may take. What has not been answered by then is not known. */
export interface ProviderLimits {
  readonly captureMs: number;
  readonly findMs: number;
  readonly refundMs: number;
  /** Of one page. */
  readonly listMs: number;
}

export const providerLimits: ProviderLimits = { captureMs: 30_000, findMs: 10_000, refundMs: 30_000, listMs: 30_000 };
