import type { Queryable } from '#platform/postgres/database.ts';

/** In summary: drawings and descriptions are in the seller's own pages. */
export const exportQueries = {
  artists: `SELECT jsonb_build_object('id', id, 'name', name, 'nameEn', name_en, 'createdAt', created_at) AS item
    FROM catalog.artists WHERE owner_id = $1 ORDER BY id DESC LIMIT $2`,
  venues: `SELECT jsonb_build_object('id', id, 'name', name, 'nameEn', name_en, 'address', address, 'createdAt', created_at) AS item
    FROM catalog.venues WHERE owner_id = $1 ORDER BY id DESC LIMIT $2`,
  layouts: `SELECT jsonb_build_object('id', id, 'venueId', venue_id, 'name', name, 'createdAt', created_at) AS item
    FROM catalog.layouts WHERE owner_id = $1 ORDER BY id DESC LIMIT $2`,
  events: `SELECT jsonb_build_object('id', id, 'title', title, 'titleEn', title_en, 'startsAt', starts_at, 'publishedAt', published_at,
      'cancelledAt', cancelled_at, 'createdAt', created_at) AS item
    FROM catalog.events WHERE seller_id = $1 ORDER BY id DESC LIMIT $2`,
};

/** Published, not cancelled, and not over for a day: somebody has to answer for it. */
export async function hasEventsToCome(on: Queryable, userId: string): Promise<boolean> {
  const { rowCount } = await on.query(
    `SELECT FROM catalog.events WHERE seller_id = $1 AND published_at IS NOT NULL AND cancelled_at IS NULL
       AND starts_at > urr.now() - interval '1 day' LIMIT 1`,
    [userId],
  );
  return rowCount > 0;
}

export async function deleteDraftsOf(on: Queryable, userId: string): Promise<void> {
  await on.query('DELETE FROM catalog.events WHERE seller_id = $1 AND published_at IS NULL', [userId]);
}
