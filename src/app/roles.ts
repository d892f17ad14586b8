import { authDescription } from '#modules/auth/index.ts';
import { catalogDescription } from '#modules/catalog/index.ts';
import { gatewayDescription } from '#modules/gateway/index.ts';
import { paymentsDescription } from '#modules/payments/index.ts';
import { queueDescription, queueHotDescription } from '#modules/queue/index.ts';
import { ticketingDescription } from '#modules/ticketing/index.ts';
import { waitingRoomDescription } from '#modules/waiting-room/index.ts';
import type { ModuleDescription } from '#platform/module.ts';
import { configSchema, type RoleUrlSetting, type SecretKey, type UrrConfig } from './config.ts';
import { providerMissing } from './payment-settings.ts';

/** `postgres`, `bus`: engines. `store`: Redis, or memory of this process when there is none. */
export type Engine = 'postgres' | 'bus' | 'store';

export interface RoleDefinition {
  readonly description: ModuleDescription;
  readonly needs: readonly Engine[];
  /** The setting that says where this role runs when it runs elsewhere. */
  readonly urlSetting: RoleUrlSetting | null;
  /** Secrets that a process needs for this role only. */
  readonly secrets?: readonly SecretKey[];
  /** What else is missing for it in production, as problems of the configuration. */
  readonly missing?: (config: UrrConfig) => readonly string[];
}

/** The roles and what each needs. `urr serve --roles` takes any of them; everything else follows from this table. */
export const roleDefinitions = {
  gateway: { description: gatewayDescription, needs: ['store'], urlSetting: null },
  auth: { description: authDescription, needs: ['postgres', 'bus'], urlSetting: 'authUrl' },
  catalog: { description: catalogDescription, needs: ['postgres', 'bus'], urlSetting: 'catalogUrl' },
  queue: { description: queueDescription, needs: ['postgres', 'bus', 'store'], urlSetting: 'queueUrl' },
  'queue-hot': { description: queueHotDescription, needs: ['postgres', 'bus', 'store'], urlSetting: null },
  ticketing: {
    description: ticketingDescription,
    needs: ['postgres', 'bus', 'store'],
    urlSetting: 'ticketingUrl',
    secrets: ['ticketSigningKeys'],
  },
  payments: {
    description: paymentsDescription,
    needs: ['postgres', 'bus'],
    urlSetting: 'paymentsUrl',
    missing: providerMissing,
  },
  'waiting-room': {
    description: waitingRoomDescription,
    needs: ['postgres', 'bus', 'store'],
    urlSetting: 'waitingRoomUrl',
  },
} satisfies Readonly<Record<string, RoleDefinition>>;

export type RoleName = keyof typeof roleDefinitions;
// The keys of that very table.
export const roleNames = Object.keys(roleDefinitions) as readonly RoleName[];

export function remoteUrl(config: UrrConfig, role: RoleName): string | null {
  const { urlSetting } = roleDefinitions[role];
  return urlSetting === null ? null : config[urlSetting];
}

/** What these roles cannot do without, as problems of the configuration. */
export function secretsMissing(config: UrrConfig, roles: readonly RoleName[]): string[] {
  return roles.flatMap((role) => {
    const { secrets = [], missing = () => [] }: RoleDefinition = roleDefinitions[role];
    return [
      ...secrets
        .filter((key) => config[key].length === 0)
        .map((key) => `${configSchema[key].env} is required in production where the role ${role} runs`),
      ...(config.mode === 'production' ? missing(config) : []),
    ];
  });
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
