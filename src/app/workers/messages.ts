/** What parent and workers say to each other over their channel. */
export type FromWorker =
  | { readonly kind: 'ready' }
  /** "Somebody asked me for /metrics": the parent gathers everybody's. */
  | { readonly kind: 'gather'; readonly id: number }
  | { readonly kind: 'metrics'; readonly id: number; readonly text: string };

export type ToWorker =
  | { readonly kind: 'metrics?'; readonly id: number }
  | { readonly kind: 'gathered'; readonly id: number; readonly texts: readonly string[] };

/** Tells a process that it is a worker, and which one. */
export const workerVariable = 'URR_WORKER';
