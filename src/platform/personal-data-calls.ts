import { Type } from 'typebox';
import { defineInternalCalls, type InternalClient } from './internal-call.ts';
import { exactly, Uuid } from './schemas.ts';

const ofUser = exactly({ userId: Uuid });

/**
 * What every module that keeps something of a user answers. auth asks, wherever the module runs. A module spreads these into its
 * own internal calls.
 */
export const personalDataCalls = defineInternalCalls({
  exportUser: {
    summary: 'Everything that the module keeps of a user, in sections; the newest rows of each, up to a limit.',
    input: ofUser,
    output: Type.Object({
      sections: Type.Record(Type.String(), Type.Array(Type.Unknown())),
      truncated: Type.Array(Type.String(), { description: 'sections of which there is more' }),
    }),
    idempotent: true,
  },
  erasureObstacles: {
    summary: 'What stands against erasing a user now, as codes. Nothing is changed.',
    input: ofUser,
    output: Type.Object({ reasons: Type.Array(Type.String()) }),
    idempotent: true,
  },
  eraseUser: {
    summary:
      'Forgets what names or locates a user, and takes nothing new from that user. What the books need stays, under an id that leads nowhere.',
    input: ofUser,
    output: Type.Object({
      erased: Type.Boolean({ description: 'false: something is under way that still needs it; ask again later' }),
    }),
    idempotent: true,
  },
});

export type PersonalDataClient = InternalClient<typeof personalDataCalls>;
