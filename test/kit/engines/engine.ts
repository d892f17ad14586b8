/** A server under test, and what can happen to it. */
export interface Engine {
  /** Ends it in order, as an operator would. */
  stop(): Promise<void>;
  /** Ends it with SIGKILL, as a crash would. */
  kill(): Promise<void>;
  /** It keeps its connections and its port but does nothing, as a machine that hangs would. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Stops it if it runs and starts it on the same port with the same data. */
  restart(): Promise<void>;
}

export const engineNames = ['redis', 'kafka', 'nginx', 'chromium'] as const;
export type EngineName = (typeof engineNames)[number];
