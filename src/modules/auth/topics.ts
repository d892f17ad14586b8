import { Type } from 'typebox';
import { defineTopic } from '#platform/bus/port.ts';
import { roles } from '#platform/http/identity.ts';
import { uuidPattern } from '#platform/ids.ts';

/** No personal data: who needs a name or an email asks for it, and forgets it with the user. */
export const userEventsTopic = defineTopic({
  name: 'user-events',
  key: 'userId',
  retention: 'forever',
  types: {
    USER_REGISTERED: {
      version: 1,
      summary: 'A user exists from now on.',
      data: Type.Object(
        {
          userId: Type.String({ pattern: uuidPattern }),
          role: Type.Enum([...roles]),
          registeredAt: Type.String({ format: 'date-time' }),
          via: Type.Enum(['password', 'oidc', 'seed']),
        },
        { additionalProperties: false },
      ),
    },
  },
});
