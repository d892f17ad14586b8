import { type AuthInstance, createAuth } from '#modules/auth/index.ts';
import { authConfig } from '../auth-config.ts';
import type { ModuleContext } from './context.ts';

export function composeAuth({ shared, durable, accessTokens, config }: ModuleContext): AuthInstance {
  return createAuth({ ...shared, ...durable(), accessTokens, config: authConfig(config) });
}
