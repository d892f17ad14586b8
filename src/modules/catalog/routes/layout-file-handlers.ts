import { hash } from 'node:crypto';
import type { RouteHandlers } from '#platform/http/contract.ts';
import { callerHeaders } from '#platform/http/names.ts';
import type { Database } from '#platform/postgres/database.ts';
import { type LayoutFileFormat, mediaTypes } from '../domain/layout-files/layout-file.ts';
import { catalogErrors } from '../errors.ts';
import type { UserDirectory } from '../ports.ts';
import { invalidBody, ownerFor, requireOwner } from '../service/guard.ts';
import type { CatalogService } from '../service/index.ts';
import { createOnce } from './creation.ts';
import { layoutFileContracts as contracts } from './layout-file-contracts.ts';
import { actorOf } from './seller-handlers.ts';
import { layoutOwned } from './shown.ts';

export function createLayoutFileHandlers(deps: {
  database: Database;
  auth: UserDirectory;
  service: CatalogService;
}): RouteHandlers<typeof contracts> {
  const { database, auth, service } = deps;
  return {
    async importLayout(request, reply) {
      const { venueId, name, sellerId } = request.query;
      const actor = actorOf(request);
      const ownerId = await ownerFor(actor, sellerId, auth);
      const format = formatOf(request.headers[callerHeaders.contentType]);
      if (format === 'csv' && name === undefined) throw missingName();
      const venue = await service.venues.find(venueId);
      if (venue === null) throw invalidBody([{ field: 'venueId', message: 'does not exist' }], 'query');
      requireOwner(actor, venue.ownerId);
      const reading = await service.layoutFiles.read(request.body, format);
      const { problems, problemsTotal, warnings, warningsTotal } = reading;
      if (reading.status === 'broken')
        throw catalogErrors.fault('LAYOUT_FILE_INVALID', {
          detail: sentenceOf(problems, problemsTotal),
          extensions: { errors: problems, errorsTotal: problemsTotal },
        });
      const layoutName = name ?? reading.name;
      if (layoutName === null) throw missingName();
      const layout = { name: layoutName, document: reading.document, ownerId, venueId };
      // A repeat is one that brings the same file for the same place.
      const body = { query: request.query, file: hash('sha256', request.body, 'base64url') };
      const intent = { user: request.user, headers: request.headers, body };
      return createOnce({ database, contract: contracts.importLayout, request: intent, reply }, async (tx) => ({
        layout: layoutOwned(await service.layouts.create(tx, actor, layout)),
        warnings: [...warnings],
        warningsTotal,
      }));
    },

    async exportLayout(request, reply) {
      const { layoutId } = request.params;
      const { format } = request.query;
      const { summary, document } = await service.layouts.get(actorOf(request), layoutId);
      const file = await service.layoutFiles.write({ name: summary.name, document }, format);
      const extension = format === 'csv' ? 'csv' : 'json';
      return reply
        .type(`${mediaTypes[format]}; charset=utf-8`)
        .header('content-disposition', `attachment; filename="layout-${layoutId}.${extension}"`)
        .header('cache-control', 'no-store')
        .send(file);
    },
  };
}

function formatOf(contentType: string | undefined): LayoutFileFormat {
  return contentType?.startsWith(mediaTypes.csv) ? 'csv' : 'pretix';
}

function missingName() {
  return invalidBody([{ field: 'name', message: 'is missing' }], 'query');
}

function sentenceOf(problems: readonly { line: number; field: string; message: string }[], total: number): string {
  const [first] = problems;
  const more = total > 1 ? `; ${total - 1} more` : '';
  return first === undefined ? '' : `line ${first.line}: ${first.field} ${first.message}${more}`;
}
