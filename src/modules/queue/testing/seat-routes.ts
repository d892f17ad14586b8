import { Type } from 'typebox';
import { defineRoutes } from '#platform/http/contract.ts';

/** A call behind the entry check, as the seat map will be one. */
export const seatRoutes = defineRoutes({
  seats: {
    operation: 'seats',
    method: 'GET',
    path: '/api/seats/:eventId',
    summary: 'Seats',
    access: 'user',
    rate: 'read',
    entry: 'required',
    params: Type.Object({ eventId: Type.String({ maxLength: 64 }) }),
    responses: { 200: Type.Object({ entry: Type.Array(Type.String()) }) },
  },
});
