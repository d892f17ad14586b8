import { platformErrors } from '#platform/errors.ts';
import type { Keeper } from '../ports.ts';

export interface TestKeeper extends Keeper {
  /** Users whom it was told to forget, as often as it was told. */
  readonly erased: string[];
  reasons: string[];
  isAway: boolean;
  isBusy: boolean;
}

/** Another module that keeps something of users, as auth sees it. */
export function aKeeper(module: string): TestKeeper {
  const answer = <Answer>(make: () => Answer) => {
    if (keeper.isAway) throw platformErrors.fault('ROLE_UNAVAILABLE', { detail: `The role ${module} did not answer.` });
    return make();
  };
  const keeper: TestKeeper = {
    module,
    erased: [],
    reasons: [],
    isAway: false,
    isBusy: false,
    calls: {
      exportUser: async ({ userId }) => answer(() => ({ sections: { things: [{ of: userId }] }, truncated: [] })),
      erasureObstacles: async () => answer(() => ({ reasons: keeper.reasons })),
      eraseUser: async ({ userId }) =>
        answer(() => {
          keeper.erased.push(userId);
          return { erased: !keeper.isBusy };
        }),
    },
  };
  return keeper;
}
