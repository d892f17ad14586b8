import type { Consumer, ConsumerDeclaration, TopicDefinition } from './bus/port.ts';
import type { ErrorTable } from './errors.ts';
import type { ContentPolicy } from './http/answer-policy.ts';
import type { BoundHandlers, RouteContracts } from './http/contract.ts';
import type { ExpressRoute } from './http/express-lane.ts';
import type { InternalCalls } from './internal-call.ts';

/** What a module is, as data: enough to document it, migrate it and forward to it without starting it. */
export interface ModuleDescription {
  readonly name: string;
  /** One line, shown by `urr roles` and in the reference. */
  readonly summary: string;
  readonly routes: RouteContracts;
  readonly internalCalls: InternalCalls;
  readonly errors: ErrorTable;
  readonly topics: readonly TopicDefinition[];
  readonly consumers: readonly ConsumerDeclaration[];
  /** Folder of `0001_name.sql` files. The module owns the schema of its own name. */
  readonly migrations: URL | null;
  /** Pages with a content security policy of their own. */
  readonly pages?: readonly PageDeclaration[];
}

/** A page of the application that may load more than the others, e.g. the script of a payment provider. */
export interface PageDeclaration {
  /** Fastify notation: `/payments/:orderId`. */
  readonly path: string;
  /** In addition to what all pages may load. */
  readonly loads: ContentPolicy;
  /** Windows that it opens may tell it what became of them. */
  readonly opensWindows?: boolean;
}

/** A running module. `app/` starts what is here and stops it in reverse. */
export interface ModuleInstance {
  readonly handlers: BoundHandlers;
  /** Some of its routes once more, for calls whose answer is at hand. */
  readonly express?: readonly ExpressRoute[];
  readonly internal: Readonly<Record<string, (input: never) => Promise<unknown>>>;
  readonly consumers: readonly Consumer[];
  readonly jobs: readonly Job[];
  /** Beside the engines: without these this process is of no use to those who call the module. */
  readonly checks?: readonly ReadinessCheck[];
  /** For what must be flushed or closed beside jobs and consumers. */
  stop?(): Promise<void>;
}

/** One thing that must work for this process to be of use. `/ready` names it when it fails. */
export interface ReadinessCheck {
  readonly name: string;
  check(): Promise<void>;
}

/** Work that repeats. A run never overlaps itself; a failure is logged and counted, and the next run comes as usual. */
export interface Job {
  readonly name: string;
  readonly everyMs: number;
  run(signal: AbortSignal): Promise<void>;
}
