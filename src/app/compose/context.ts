import type { AccessClaims, EntryClaims } from '#modules/gateway/contract.ts';
import type { AuditLog } from '#platform/audit/port.ts';
import { postgresAuditLog } from '#platform/audit/postgres-audit-log.ts';
import type { BusEngine } from '#platform/bus/port.ts';
import type { Clock } from '#platform/clock.ts';
import { platformErrors } from '#platform/errors.ts';
import type { Role } from '#platform/http/identity.ts';
import {
  createInternalClient,
  httpTransport,
  type InternalTransport,
  inProcessTransport,
} from '#platform/http/internal-client.ts';
import { createInternalSignature, type InternalSignature } from '#platform/http/internal-signature.ts';
import type { Ids } from '#platform/ids.ts';
import type { InternalCalls, InternalClient } from '#platform/internal-call.ts';
import type { ModuleInstance } from '#platform/module.ts';
import type { Database } from '#platform/postgres/database.ts';
import type { Random } from '#platform/random.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import type { Metrics } from '#platform/telemetry/metrics.ts';
import { createJwtKind, type JwtKind } from '#platform/tokens/jwt.ts';
import type { UrrConfig } from '../config.ts';
import type { OpenEngines } from '../engines/parts.ts';
import { type RoleName, remoteUrl, roleDefinitions } from '../roles.ts';

/** What a module gets. Its file in this folder hands on the part that its factory asks for. */
export interface ModuleContext {
  readonly config: UrrConfig;
  /** Those of this process. */
  readonly roles: readonly RoleName[];
  readonly engines: OpenEngines;
  readonly shared: {
    readonly clock: Clock;
    readonly ids: Ids;
    readonly random: Random;
    readonly logger: Logger;
    readonly metrics: Metrics;
    readonly audit: AuditLog;
  };
  readonly signature: InternalSignature;
  /** `at+jwt`: auth signs, the gateway verifies. */
  readonly accessTokens: JwtKind<AccessClaims & { role: Role }>;
  /** `entry+jwt`: the queue signs, the gateway verifies. */
  readonly entryTokens: JwtKind<EntryClaims>;
  /** For a role that declares that it needs them. */
  durable(): { readonly database: Database; readonly bus: BusEngine };
  /** The internal calls of a role, wherever it runs. Two modules may have each other's. */
  client<Calls extends InternalCalls>(role: RoleName, calls: Calls): InternalClient<Calls>;
  /** As `client`, for a role that is not needed to start: where none is configured, every call is refused as if it were away. */
  optionalClient<Calls extends InternalCalls>(role: RoleName, calls: Calls): InternalClient<Calls>;
}

export interface ComposeOptions extends Pick<ModuleContext, 'config' | 'roles' | 'engines'> {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

const accessTokenSeconds = 15 * 60;

export function createModuleContext(
  { config, roles, engines, ...given }: ComposeOptions,
  made: ReadonlyMap<RoleName, ModuleInstance>,
): ModuleContext {
  const { clock } = given;
  const signature = createInternalSignature({
    secrets: config.internalSecrets,
    clock,
    roles: roles.map((role) => roleDefinitions[role].description.name),
  });
  return {
    config,
    roles,
    engines,
    shared: { ...given, audit: postgresAuditLog },
    signature,
    accessTokens: createJwtKind({
      typ: 'at+jwt',
      secrets: config.accessTokenSecrets,
      ttlSeconds: accessTokenSeconds,
      clock,
    }),
    entryTokens: createJwtKind({
      typ: 'entry+jwt',
      secrets: config.entryTokenSecrets,
      ttlSeconds: config.queueEntryTokenTtlSeconds,
      clock,
    }),
    durable() {
      const { database, bus } = engines;
      if (database === null || bus === null) throw new Error('this role needs PostgreSQL and the bus');
      return { database, bus };
    },
    client,
    optionalClient(role, calls) {
      const isKnown = roles.includes(role) || remoteUrl(config, role) !== null;
      return isKnown ? client(role, calls) : createInternalClient(calls, transportNowhere(role));
    },
  };

  function client<Calls extends InternalCalls>(role: RoleName, calls: Calls): InternalClient<Calls> {
    const transport = roles.includes(role) ? transportHere(made, role) : transportElsewhere(role);
    return createInternalClient(calls, transport);
  }

  function transportElsewhere(role: RoleName): InternalTransport {
    const url = remoteUrl(config, role);
    if (url === null) throw new RoleUnknown(role);
    return httpTransport({ module: role, url, signature, clock, timeoutMs: config.remoteTimeoutMs });
  }
}

/** Looked up at each call: the module that asks may be made before the one that answers. */
function transportHere(made: ReadonlyMap<RoleName, ModuleInstance>, role: RoleName): InternalTransport {
  return async (name, call, input) => {
    const instance = made.get(role);
    if (instance === undefined) throw new Error(`the role ${role} is not made yet and is asked for ${name}`);
    return inProcessTransport(instance.internal)(name, call, input);
  };
}

function transportNowhere(role: RoleName): InternalTransport {
  const detail = `The role ${role} runs neither here nor at a configured address.`;
  return async () => {
    throw platformErrors.fault('ROLE_UNAVAILABLE', { detail });
  };
}

class RoleUnknown extends Error {
  constructor(role: RoleName) {
    super(`the role ${role} runs neither here nor at a configured address: add it to --roles or set its URL`);
  }
}
