import type { SchemaObject } from '#platform/http/openapi-parts.ts';

const exactly = (properties: Record<string, SchemaObject>): SchemaObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});
const listOf = (items: SchemaObject): SchemaObject => ({ type: 'array', items, minItems: 1 });
const text: SchemaObject = { type: 'string', maxLength: 20 };
/** So many that two of a row are mostly different. */
const label: SchemaObject = { enum: Array.from({ length: 99 }, (_, index) => String(index + 1)) };
const position = exactly({ x: { type: 'integer' }, y: { type: 'integer' } });

const seat = exactly({ seat_guid: text, seat_number: label, position, category: { enum: ['R', 'S'] } });
const row = exactly({ row_number: label, seats: listOf(seat) });
const area = exactly({
  shape: { enum: ['polygon', 'text', 'circle'] },
  position,
  text: exactly({ text: { enum: ['Stage', 'Bar', ' '] }, position }),
  polygon: exactly({ points: listOf(position) }),
});
const zone = exactly({ name: label, position, rows: listOf(row), areas: { type: 'array', items: area } });

/** Where the document says no more of a body than that it is a file, or whatever a provider sends: bodies that the operation understands. */
export const bodySchemas: Readonly<Record<string, SchemaObject>> = {
  importLayout: exactly({
    name: label,
    zones: listOf(zone),
    categories: { type: 'array', items: text },
    size: position,
  }),
  paymentWebhook: exactly({ paymentKey: text, orderId: text }),
};
