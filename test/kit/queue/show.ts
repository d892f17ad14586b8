import { systemClock } from '#platform/clock.ts';
import type { Role } from '#platform/http/identity.ts';
import { createIds } from '#platform/ids.ts';
import { systemRandom } from '#platform/random.ts';
import { createJwtKind } from '#platform/tokens/jwt.ts';
import { aLayout, anArtist, anEvent, aVenue, type LayoutShape } from '../builders/catalog.ts';
import { createSendRaw } from '../raw-http.ts';
import { testSecrets } from '../secrets.ts';

const ids = createIds({ clock: systemClock, random: systemRandom });
const accessTokens = createJwtKind<{ sub: string; email: string; role: Role }>({
  typ: 'at+jwt',
  secrets: [testSecrets.URR_ACCESS_TOKEN_SECRET],
  ttlSeconds: 3_600,
  clock: systemClock,
});

export interface SomebodySignedIn {
  readonly userId: string;
  readonly accessToken: string;
}

/** Signed in without an account: anyone who knows the secret of the tests may be anybody, by the thousands. */
export function aSignedIn(role: Role = 'buyer', userId = ids.next()): SomebodySignedIn {
  return { userId, accessToken: accessTokens.sign({ sub: userId, email: `${userId}@urr.test`, role }).token };
}

const hourMs = 3_600_000;

/** A published event whose sale is open. */
export async function aShowOnSale(
  url: string,
  changes: Record<string, unknown> = {},
  layout: LayoutShape = {},
): Promise<string> {
  const send = createSendRaw(url, { connectionsMax: 1 });
  const { accessToken } = aSignedIn('seller');
  const make = async (path: string, body?: unknown) => {
    const answer = await send({
      method: 'POST',
      path: `/api/seller/${path}`,
      headers: {
        authorization: `Bearer ${accessToken}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
    return (JSON.parse(answer.text) as { id: string }).id;
  };
  const artistId = await make('artists', anArtist());
  const venueId = await make('venues', aVenue());
  const layoutId = await make('layouts', aLayout(venueId, layout));
  const saleOpensAt = new Date(Date.now() - hourMs).toISOString();
  const eventId = await make(
    'events',
    anEvent({ artistId, venueId, layoutId }, Date.now(), { saleOpensAt, ...changes }),
  );
  await make(`events/${eventId}/publish`);
  return eventId;
}
