import type { UrrConfig } from './config.ts';

export const roleNames = ['gateway', 'auth', 'catalog', 'queue', 'queue-hot'] as const;
export type RoleName = (typeof roleNames)[number];

/** `postgres`, `bus`: engines. `store`: Redis, or memory of this process when there is none. */
export type Engine = 'postgres' | 'bus' | 'store';

export interface RoleDefinition {
  readonly needs: readonly Engine[];
  /** The setting that says where this role runs when it runs elsewhere. */
  readonly urlSetting: 'authUrl' | 'catalogUrl' | 'queueUrl' | null;
}

/** The roles and what each needs. `urr serve --roles` takes any of them; everything else follows from this table. */
export const roleDefinitions: Readonly<Record<RoleName, RoleDefinition>> = {
  gateway: { needs: ['store'], urlSetting: null },
  auth: { needs: ['postgres', 'bus'], urlSetting: 'authUrl' },
  catalog: { needs: ['postgres', 'bus'], urlSetting: 'catalogUrl' },
  queue: { needs: ['postgres', 'bus', 'store'], urlSetting: 'queueUrl' },
  'queue-hot': { needs: ['postgres', 'bus', 'store'], urlSetting: null },
};

export function remoteUrl(config: UrrConfig, role: RoleName): string | null {
  const { urlSetting } = roleDefinitions[role];
  return urlSetting === null ? null : config[urlSetting];
}

export function parseRoles(text: string): { ok: true; roles: RoleName[] } | { ok: false; problem: string } {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const unknown = names.filter((name) => !isRoleName(name));
  if (unknown.length > 0)
    return { ok: false, problem: `unknown role ${unknown.join(', ')}; the roles are ${roleNames.join(', ')}` };
  if (names.length === 0) return { ok: false, problem: `no role given; the roles are ${roleNames.join(', ')}` };
  return { ok: true, roles: roleNames.filter((name) => names.includes(name)) };
}

function isRoleName(text: string): text is RoleName {
  return (roleNames as readonly string[]).includes(text);
}
