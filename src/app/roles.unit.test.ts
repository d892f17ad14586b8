import { expect, test } from 'vitest';
import { testSecrets, testTicketKeys } from '#test/kit/secrets.ts';
import { loadConfig } from './config.ts';
import { roleNames, secretsMissing } from './roles.ts';

const production = { ...testSecrets, URR_MODE: 'production' };

test('only a process with the role ticketing needs the keys that sign tickets', () => {
  const { config } = loadConfig(production);
  expect(secretsMissing(config, ['gateway', 'auth', 'catalog'])).toEqual([]);
  expect(secretsMissing(config, roleNames)).toEqual([
    'URR_TICKET_SIGNING_KEYS is required in production where the role ticketing runs',
    expect.stringContaining('URR_TOSS_SECRET_KEY is required in production where the role payments runs'),
  ]);
  const sandbox = { ...testTicketKeys, URR_PAYMENT_SANDBOX: 'on' };
  expect(secretsMissing(loadConfig({ ...production, ...sandbox }).config, roleNames)).toEqual([]);
});

test('production takes no money by the sandbox by accident; elsewhere it is the provider', () => {
  const { config } = loadConfig(production);
  expect(secretsMissing(config, ['gateway', 'ticketing'])).not.toContainEqual(expect.stringContaining('TOSS'));
  expect(secretsMissing(config, ['payments'])).toHaveLength(1);
  const keys = { URR_TOSS_SECRET_KEY: 'live_sk_0123456789', URR_TOSS_CLIENT_KEY: 'live_ck_0123456789' };
  expect(secretsMissing(loadConfig({ ...production, ...keys }).config, ['payments'])).toEqual([]);
  expect(secretsMissing(loadConfig(testSecrets).config, ['payments'])).toEqual([]);
});
