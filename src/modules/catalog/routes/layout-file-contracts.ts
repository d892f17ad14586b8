import { Type } from 'typebox';
import { defineRoutes } from '#platform/http/contract.ts';
import { exactly, line, oneOf, Uuid } from '#platform/schemas.ts';
import { layoutFileBytesMax, layoutFileFormats, mediaTypes } from '../domain/layout-files/layout-file.ts';
import { ImportedLayout } from './seller-schemas.ts';

const files = Object.values(mediaTypes);

/** Layouts as files of other programs. */
export const layoutFileContracts = defineRoutes({
  importLayout: {
    operation: 'importLayout',
    method: 'POST',
    path: '/api/seller/layouts/import',
    summary: 'Make a layout from a table of seats (CSV) or a seating plan of pretix (JSON)',
    description:
      'The content type says which. Nothing is stored when anything in the file is wrong: each problem is named by its line. A plan of pretix has a name of its own; a table needs `name`.',
    access: ['seller', 'admin'],
    rate: 'write',
    idempotency: 'accepted',
    query: exactly({ venueId: Uuid, name: Type.Optional(line(100)), sellerId: Type.Optional(Uuid) }),
    upload: files,
    bodyLimit: layoutFileBytesMax,
    responses: { 201: ImportedLayout },
    problems: ['LAYOUT_FILE_INVALID', 'LAYOUT_FILES_BUSY'],
  },
  exportLayout: {
    operation: 'exportLayout',
    method: 'GET',
    path: '/api/seller/layouts/:layoutId/export',
    summary: 'A layout as a table of seats (CSV) or as a seating plan of pretix (JSON)',
    description: 'Importing the file again makes the very same drawing.',
    access: ['seller', 'admin'],
    rate: 'read',
    params: exactly({ layoutId: Uuid }),
    query: exactly({ format: oneOf(layoutFileFormats) }),
    responses: { 200: Type.String({ description: 'The file.' }) },
    download: files,
    problems: ['LAYOUT_FILES_BUSY'],
  },
});
