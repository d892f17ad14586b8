import type { AuthInstance } from '#modules/auth/index.ts';
import type { Catalog } from '#modules/catalog/index.ts';
import type { Gateway } from '#modules/gateway/index.ts';
import type { Ticketing } from '#modules/ticketing/index.ts';
import type { InternalSignature } from '#platform/http/internal-signature.ts';
import type { ModuleInstance } from '#platform/module.ts';
import { composeAuth } from './compose/auth.ts';
import { composeCatalog } from './compose/catalog.ts';
import { type ComposeOptions, createModuleContext, type ModuleContext } from './compose/context.ts';
import { assertConsumersDescribed } from './compose/described.ts';
import { composeGateway } from './compose/gateway.ts';
import { composePayments } from './compose/payments.ts';
import { composeQueue } from './compose/queue.ts';
import { composeRooms } from './compose/rooms.ts';
import { composeTicketing } from './compose/ticketing.ts';
import { composeWaitingRoom } from './compose/waiting-room.ts';
import { type RoleName, roleDefinitions } from './roles.ts';

export interface Composition {
  readonly modules: ReadonlyMap<RoleName, ModuleInstance>;
  readonly gateway: Gateway | null;
  readonly auth: AuthInstance | null;
  readonly catalog: Catalog | null;
  readonly ticketing: Ticketing | null;
  readonly signature: InternalSignature;
}

/** Makes the modules of this process's roles, each by its file in `compose/`. Who needs whom is said there. */
export function composeModules(options: ComposeOptions): Composition {
  const modules = new Map<RoleName, ModuleInstance>();
  const context = createModuleContext(options, modules);
  const here = <Instance>(role: RoleName, compose: (context: ModuleContext) => Instance): Instance | null =>
    context.roles.includes(role) ? compose(context) : null;

  const auth = here('auth', composeAuth);
  const catalog = here('catalog', composeCatalog);
  const rooms = composeRooms(context);
  const { queue, queueHot } = composeQueue(context, rooms);
  const ticketing = here('ticketing', composeTicketing);
  const payments = here('payments', composePayments);
  const waitingRoom = here('waiting-room', composeWaitingRoom);
  const gateway = here('gateway', () => composeGateway(context, { queue, rooms }));

  // Stopped in reverse: the gateway first, which uses the others.
  const made: Readonly<Record<RoleName, ModuleInstance | null>> = {
    auth,
    catalog,
    queue,
    'queue-hot': queueHot,
    ticketing,
    payments,
    'waiting-room': waitingRoom,
    gateway,
  };
  for (const [key, instance] of Object.entries(made)) {
    if (instance === null) continue;
    const role = key as RoleName; // The keys of a record of roles are roles.
    assertConsumersDescribed(roleDefinitions[role].description, instance);
    modules.set(role, instance);
  }
  return { modules, gateway, auth, catalog, ticketing, signature: context.signature };
}
