import { hash } from 'node:crypto';
import { inSlices } from '#platform/concurrency/in-slices.ts';
import { type PreparedJson, publicJson } from '#platform/http/contract.ts';
import { drawingTextSteps } from '../domain/compact-layout.ts';
import type { LayoutService } from '../service/layouts.ts';

/** A drawing as it is sent: ready, since one of 100,000 seats takes long to make. */
export interface LayoutAnswer {
  readonly version: number;
  readonly json: PreparedJson;
}

/** Reads a drawing, unless the one that is known is still the newest. Large work is done in slices, and compressing beside the loop. */
export async function loadLayoutAnswer(
  layouts: Pick<LayoutService, 'compact' | 'version'>,
  id: string,
  known: LayoutAnswer | null,
): Promise<LayoutAnswer | null> {
  if (known !== null && (await layouts.version(id)) === known.version) return known;
  const layout = await layouts.compact(id);
  if (layout === null) return null;
  const text = await inSlices(drawingTextSteps(layout));
  const json = publicJson(Buffer.from(text), weakTag(text));
  await json.compressed?.prepare();
  return { version: layout.version, json };
}

export function weakTag(text: string): string {
  return `W/"${hash('sha1', text, 'base64url').slice(0, 20)}"`;
}
