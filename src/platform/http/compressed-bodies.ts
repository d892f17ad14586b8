import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Of a smaller body the head of the answer is most of what is sent. */
export const compressedSizeMin = 2_048;
/** Nearly as small as the highest in a tenth of the time. */
const brotliQuality = 5;

const encodings = ['br', 'gzip'] as const;
type Encoding = (typeof encodings)[number];

/** One body, compressed beside the loop when somebody first takes it so. */
export interface CompressedBodies {
  /** What is there for one who takes these encodings; null: nothing yet, or nothing that is taken. */
  for(accepted: string | undefined): { readonly encoding: Encoding; readonly body: Buffer } | null;
  /** Compresses now, for all who ask later. */
  prepare(): Promise<void>;
}

export function createCompressedBodies(body: Buffer): CompressedBodies {
  const made = new Map<Encoding, { readonly encoding: Encoding; readonly body: Buffer }>();
  const making = new Map<Encoding, Promise<unknown>>();

  /** Once; whoever asks meanwhile waits for the same. */
  function make(encoding: Encoding): Promise<unknown> {
    const known = making.get(encoding);
    if (known !== undefined) return known;
    const started = compress[encoding](body).then((small) => made.set(encoding, { encoding, body: small }));
    making.set(encoding, started);
    return started;
  }

  return {
    for(accepted) {
      const encoding = encodings.find((one) => takesEncoding(accepted, one));
      if (encoding === undefined) return null;
      // One that could not be made stays as it is: the body itself is always good.
      if (!making.has(encoding)) make(encoding).catch(() => undefined);
      return made.get(encoding) ?? null;
    },
    async prepare() {
      await Promise.all(encodings.map(make));
    },
  };
}

/** Named without a weight. Anything else is seldom meant, and can do without. */
export function takesEncoding(accepted: string | undefined, encoding: Encoding): boolean {
  return accepted?.split(',').some((one) => one.trim() === encoding) === true;
}

const compress: Readonly<Record<Encoding, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) =>
    promisify(brotliCompress)(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
  gzip: (body) => promisify(gzip)(body),
};
