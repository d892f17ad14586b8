import { authInternalCalls } from '#modules/auth/contract.ts';
import { type Catalog, createCatalog } from '#modules/catalog/index.ts';
import type { ModuleContext } from './context.ts';

export function composeCatalog({ shared, durable, client }: ModuleContext): Catalog {
  return createCatalog({ ...shared, ...durable(), auth: client('auth', authInternalCalls) });
}
