import { createHmac } from 'node:crypto';
import { type AuthConfig, hashingDefaults, type OidcProviderConfig, passwordCostDefault } from '#modules/auth/index.ts';
import { ConfigProblem, type UrrConfig } from './config.ts';

export function authConfig(config: UrrConfig): AuthConfig {
  const providers = config.oidcProviders.map(parseProvider);
  return {
    secureCookies: secureCookies(config),
    passwordCost: passwordCostDefault,
    hashing: hashingDefaults,
    oidc:
      providers.length === 0
        ? null
        : {
            publicUrl: config.publicOrigins[0] ?? `http://localhost:${config.port}`,
            // A key of its own for the state cookie, so that neither kind can stand in for the other.
            stateSecrets: config.accessTokenSecrets.map((secret) =>
              createHmac('sha256', secret).update('urr oidc state').digest('base64url'),
            ),
            failurePath: '/login',
            providers,
          },
  };
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
