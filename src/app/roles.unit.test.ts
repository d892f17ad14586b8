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
  ]);
  expect(secretsMissing(loadConfig({ ...production, ...testTicketKeys }).config, roleNames)).toEqual([]);
});
