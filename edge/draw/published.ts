/** What the operator of a draw publishes, in its own words. Bytes are hexadecimal in small letters, times are milliseconds. */
export interface PublishedDraw extends Announcement {
  readonly format: 'urr.draw.1';
  /** Over the announcement and all batches so far. */
  readonly head: string;
  readonly batches: readonly Batch[];
  readonly frozen: Frozen | null;
  readonly revealed: Revealed | null;
  /** Earlier draws of the same event that were frozen and never counted. They stay listed for ever. */
  readonly voids: readonly VoidDraw[];
}

/** Stands before anybody can enter. */
export interface Announcement {
  readonly eventId: string;
  readonly era: number;
  readonly announcedAtMs: number;
  /** SHA-256 of the secret. */
  readonly commitment: string;
  /** Ed25519; receipts are signed with its other half. */
  readonly receiptKey: string;
  /** One entry per account. */
  readonly signInRequired: boolean;
  readonly beacon: Beacon;
}

/** Where the public value comes from. `operator`: nowhere, so that the operator has to be trusted. */
export type Beacon =
  | {
      readonly kind: 'drand';
      /** Hash of the chain's parameters, its key among them. */
      readonly chain: string;
      readonly genesisSeconds: number;
      readonly periodSeconds: number;
    }
  | { readonly kind: 'operator' };

/** Entries `first` … `first + count − 1` and the root of their tree. */
export type Batch = readonly [first: number, count: number, root: string];

export interface Frozen {
  readonly atMs: number;
  readonly entries: number;
  readonly head: string;
  /** Of the beacon; 0 without one. */
  readonly round: number;
}

export interface Revealed {
  readonly atMs: number;
  readonly secret: string;
  /** That of the freeze, or a later one if it never appeared. */
  readonly round: number;
  /** Empty without a beacon. */
  readonly value: string;
  /** Of the beacon, from which the value is made. */
  readonly signature: string;
  /** Follows from all the rest. */
  readonly seed: string;
}

export interface VoidDraw {
  readonly era: number;
  readonly atMs: number;
  readonly entries: number;
  readonly head: string;
  readonly reason: 'unrevealed' | 'reset';
}

/** What a visitor keeps. It says all that is needed to find the entry in the published draw, and who signed it. */
export interface Receipt {
  readonly format: 'urr.draw.receipt.1';
  readonly eventId: string;
  readonly era: number;
  readonly entry: number;
  readonly visitor: string;
  readonly atMs: number;
  readonly batch: ReceiptBatch;
  readonly path: readonly string[];
  readonly receiptKey: string;
  readonly signature: string;
}

export interface ReceiptBatch {
  /** In the log, from 0. */
  readonly index: number;
  readonly first: number;
  readonly count: number;
  readonly root: string;
  /** Of the log, this batch included: whoever holds a receipt has seen the whole log until then. */
  readonly head: string;
}
