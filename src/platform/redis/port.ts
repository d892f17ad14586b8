/** One Lua script with its contract, as the generator reads it from the file's header. */
export interface LuaScript {
  readonly name: string;
  readonly sha: string;
  readonly source: string;
  /** Writes nothing, and is sent as such: the server refuses it otherwise. */
  readonly readOnly: boolean;
}

/**
 * Redis or Valkey, standalone or Cluster. Every call fails with STORE_UNAVAILABLE within its timeout when the server
 * cannot be reached, and works again by itself when it is back. Scripts are sent by hash and reloaded when the server forgot them.
 */
export interface Redis {
  runScript(script: LuaScript, keys: readonly string[], args: readonly (string | number | Buffer)[]): Promise<unknown>;
  command(name: string, ...args: (string | number | Buffer)[]): Promise<unknown>;
  ping(): Promise<void>;
  /**
   * Names the connection by which a call with this key was last sent or would be sent now. It has another name after it was
   * made anew, and on a Cluster when the key lives on another node.
   */
  connection(key: string): string;
  /**
   * Makes the connection anew, for a server that answers and is the wrong one: what is on its way is refused. A Cluster's client
   * asks by itself where its keys are.
   */
  reconnect(): void;
  close(): Promise<void>;
  readonly kind: 'standalone' | 'cluster';
}
