import { createHmac, timingSafeEqual } from 'node:crypto';
import type { MacCheck, MacKind } from '../steps.ts';
import type { EdgeKeys } from '../web-macs.ts';

/** As plainly as Node can say it, to compare the others with. */
export function createNodeMacs(keys: EdgeKeys): (check: MacCheck) => boolean {
  const macOf = (kind: MacKind, secret: string, text: string) => {
    if (kind !== 'ticket') return createHmac('sha256', secret).update(text).digest('base64url');
    const key = createHmac('sha256', secret).update('urr ticket uqw2').digest('hex');
    return createHmac('sha256', key).update(text).digest('base64url').slice(0, 22);
  };
  return ({ kind, signed, mac }) =>
    keys[kind].some((secret) => {
      const [ours, theirs] = [Buffer.from(macOf(kind, secret, signed)), Buffer.from(mac)];
      return ours.length === theirs.length && timingSafeEqual(ours, theirs);
    });
}
