import { isoTime } from '#platform/clock.ts';
import { platformErrors } from '#platform/errors.ts';
import type { AuthDeps } from '../ports.ts';
import { exportedAccount } from '../storage/personal-data.ts';
import { findUser } from '../storage/users.ts';

/** Everything that urr keeps of one user: a section for each module, in it a list for each kind of thing. */
export interface ExportDocument {
  readonly exportedAt: string;
  readonly userId: string;
  /** `module.section` of which there is more than is here. */
  readonly truncated: readonly string[];
  readonly data: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>>;
}

export interface PersonalData {
  /** All of it or a fault: a module that is away makes no smaller file. */
  export(userId: string): Promise<ExportDocument>;
}

type PersonalDataDeps = Pick<AuthDeps, 'database' | 'clock' | 'keepers'>;

export function createPersonalData({ database, clock, keepers }: PersonalDataDeps): PersonalData {
  return {
    async export(userId) {
      const user = await findUser(database, userId);
      if (user === null || user.disabledAtMs !== null) throw platformErrors.fault('UNAUTHENTICATED');
      const own = { module: 'auth', exported: await exportedAccount(database, userId) };
      const others = await Promise.all(
        keepers.map(async ({ module, calls }) => ({ module, exported: await calls.exportUser({ userId }) })),
      );
      const all = [own, ...others];
      return {
        exportedAt: isoTime(clock.now()),
        userId,
        truncated: all.flatMap(({ module, exported }) => exported.truncated.map((section) => `${module}.${section}`)),
        data: Object.fromEntries(all.map(({ module, exported }) => [module, exported.sections])),
      };
    },
  };
}
