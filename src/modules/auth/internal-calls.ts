import { Type } from 'typebox';
import { roles } from '#platform/http/identity.ts';
import { uuidPattern } from '#platform/ids.ts';
import { defineInternalCalls } from '#platform/internal-call.ts';

const userIdsMax = 200;

export const authInternalCalls = defineInternalCalls({
  usersById: {
    summary: 'Name, role and email of users. Unknown ids are left out.',
    idempotent: true,
    input: Type.Object(
      { ids: Type.Array(Type.String({ pattern: uuidPattern }), { maxItems: userIdsMax }) },
      { additionalProperties: false },
    ),
    output: Type.Object({
      users: Type.Array(
        Type.Object({ id: Type.String(), name: Type.String(), role: Type.Enum([...roles]), email: Type.String() }),
      ),
    }),
  },
});
