import type { InternalHandlers } from '#platform/internal-call.ts';
import { auditSection, exportSections } from '#platform/personal-data.ts';
import type { personalDataCalls } from '#platform/personal-data-calls.ts';
import type { CatalogDeps } from '../ports.ts';
import { deleteDraftsOf, exportQueries, hasEventsToCome } from '../storage/personal-data.ts';

const queries = { ...exportQueries, audit: auditSection('catalog') };

/** Of a seller. What was published stays: others have bought it, and it does not name the seller. Drafts go. */
export function createPersonalData({
  database,
}: Pick<CatalogDeps, 'database'>): InternalHandlers<typeof personalDataCalls> {
  return {
    exportUser: ({ userId }) => exportSections(database, { userId, queries }),
    erasureObstacles: async ({ userId }) => ({
      reasons: (await hasEventsToCome(database, userId)) ? ['events_to_come'] : [],
    }),
    async eraseUser({ userId }) {
      await deleteDraftsOf(database, userId);
      return { erased: true };
    },
  };
}
