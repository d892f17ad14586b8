import { Type } from 'typebox';
import { roles } from '#platform/http/identity.ts';
import { defineInternalCalls } from '#platform/internal-call.ts';
import { exactly, Uuid } from '#platform/schemas.ts';

const userIdsMax = 200;

export const authInternalCalls = defineInternalCalls({
  usersById: {
    summary: 'Name, role and email of users. Unknown ids are left out.',
    idempotent: true,
    input: exactly({ ids: Type.Array(Uuid, { maxItems: userIdsMax }) }),
    output: Type.Object({
      users: Type.Array(
        Type.Object({ id: Type.String(), name: Type.String(), role: Type.Enum([...roles]), email: Type.String() }),
      ),
    }),
  },
});
