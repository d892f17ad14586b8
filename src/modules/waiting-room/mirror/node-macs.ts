import type { MacCheck, MacKind } from '#edge/decide/steps.ts';
import type { EdgeKeys } from '#edge/decide/web-macs.ts';
import { createKeyedMac, createTextMac, shortMacLength, type TextMac } from '#platform/tokens/text-mac.ts';

/** As `createSealedTexts` names waiting tickets. */
const ticketPurpose = 'urr ticket uqw2';

/** Checks MACs at once, which a decision in the way of every page and call has to. */
export function createNodeMacs(keys: EdgeKeys): (check: MacCheck) => boolean {
  const macOf = (kind: MacKind) => (secret: string) =>
    kind === 'ticket'
      ? createTextMac({ secret, purpose: ticketPurpose, length: shortMacLength })
      : createKeyedMac(secret);
  const macs: Readonly<Record<MacKind, readonly TextMac[]>> = {
    vwr: keys.vwr.map(macOf('vwr')),
    entry: keys.entry.map(macOf('entry')),
    ticket: keys.ticket.map(macOf('ticket')),
  };
  return ({ kind, signed, mac }) => macs[kind].some((own) => own.stands(signed, mac, 0));
}
