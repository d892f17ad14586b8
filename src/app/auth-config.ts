import { createHmac } from 'node:crypto';
import {
  type AuthConfig,
  hashingDefaults,
  type OidcProviderConfig,
  oidcLimitsDefault,
  passwordCostDefault,
} from '#modules/auth/index.ts';
import { ConfigProblem, type UrrConfig } from './config.ts';

export function authConfig(config: UrrConfig): AuthConfig {
  const providers = config.oidcProviders.map(parseProvider);
  return {
    secureCookies: secureCookies(config),
    passwordCost: passwordCostDefault,
    hashing: hashingDefaults,
    deviceSecrets: derived(config.accessTokenSecrets, 'urr device'),
    oidc:
      providers.length === 0
        ? null
        : {
            publicUrl: config.publicOrigins[0] ?? `http://localhost:${config.port}`,
            stateSecrets: derived(config.accessTokenSecrets, 'urr oidc state'),
            failurePath: '/login',
            providers,
            limits: oidcLimitsDefault,
          },
  };
}

/** A key of its own for each purpose, so that no kind of token can stand in for another; rotated with the one it is made from. */
function derived(secrets: readonly string[], purpose: string): string[] {
  return secrets.map((secret) => createHmac('sha256', secret).update(purpose).digest('base64url'));
}

export function secureCookies(config: UrrConfig): boolean {
  return config.secureCookies === 'auto' ? config.mode === 'production' : config.secureCookies === 'always';
}

function parseProvider(text: string): OidcProviderConfig {
  const [id, issuer, clientId, clientSecret, ...rest] = text.split('|').map((part) => part.trim());
  if (!id || !/^[a-z][a-z0-9-]*$/.test(id) || !issuer || !clientId || !clientSecret || rest.length > 0) {
    throw new ConfigProblem(['URR_OIDC_PROVIDERS must list name|issuer|clientId|clientSecret, the name in lower case']);
  }
  return { id, label: id.charAt(0).toUpperCase() + id.slice(1), issuer, clientId, clientSecret };
}
