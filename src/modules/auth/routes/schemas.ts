import { Type } from 'typebox';
import { roles } from '#platform/http/identity.ts';
import { uuidPattern } from '#platform/ids.ts';

/** A closed object: fields that are not named are refused. */
export function closed<Properties extends Parameters<typeof Type.Object>[0]>(properties: Properties) {
  return Type.Object(properties, { additionalProperties: false });
}

export const uuid = Type.String({ pattern: uuidPattern, maxLength: 36 });
export const role = Type.Enum([...roles]);
export const publicUser = closed({ id: uuid, email: Type.String(), name: Type.String(), role });
export const adminUser = closed({
  id: uuid,
  email: Type.String(),
  name: Type.String(),
  role,
  createdAt: Type.String({ format: 'date-time' }),
  disabledAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
});
