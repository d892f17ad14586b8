import { describe, expect, it } from 'vitest';
import { fieldsOf } from './fields.ts';

describe('fieldsOf', () => {
  it('lists a field once, with its form in words', () => {
    const schema = {
      type: 'object',
      required: ['id', 'at', 'tier'],
      properties: {
        id: { type: 'string', pattern: '^[0-9a-f]{8}-[0-9a-f]{4}$' },
        at: { type: 'string', format: 'date-time', description: 'ISO 8601' },
        tier: { type: 'string', enum: ['gold', 'general'] },
        title: { type: ['string', 'null'] },
      },
    };
    expect(fieldsOf(schema)).toEqual([
      ['`id`', 'UUID'],
      ['`at`', 'time (ISO 8601)'],
      ['`tier`', '`gold`, `general`'],
      ['`title?`', 'string or null'],
    ]);
  });

  it('puts what is inside an object or a list below it', () => {
    const place = { type: 'object', required: ['x'], properties: { x: { type: 'integer' } } };
    const schema = {
      properties: {
        first: place,
        all: { type: 'array', items: place },
        words: { type: 'array', items: { type: 'string' } },
      },
    };
    expect(fieldsOf(schema)).toEqual([
      ['`first?`', 'object'],
      ['`first.x`', 'integer'],
      ['`all?`', 'list of objects'],
      ['`all[].x`', 'integer'],
      ['`words?`', 'list of string'],
    ]);
  });
});
