import { Type } from 'typebox';
import { roles } from '#platform/http/identity.ts';
import { exactly, nullable, Time, Uuid } from '#platform/schemas.ts';

export const role = Type.Enum([...roles]);
export const publicUser = exactly({ id: Uuid, email: Type.String(), name: Type.String(), role });
export const adminUser = exactly({
  id: Uuid,
  email: Type.String(),
  name: Type.String(),
  role,
  createdAt: Time,
  disabledAt: nullable(Time),
});
