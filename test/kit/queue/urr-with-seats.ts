import { loadConfig } from '#app/config.ts';
import { parseRoles, roleNames } from '#app/roles.ts';
import { startUrr } from '#app/start.ts';
import { seatRoutes } from '#modules/queue/testing/seat-routes.ts';
import { registerRoutes } from '#platform/http/routes.ts';
import { stopOnSignals } from '#platform/lifecycle/signals.ts';
import { createLogger } from '#platform/telemetry/logger.ts';

/** A child process: urr as it is, and one more call behind the gateway that needs an entry token. Its arguments are roles. */
const stopping = stopOnSignals();
const { config } = loadConfig(process.env);
const urr = await startUrr({
  config,
  roles: chosenRoles(process.argv.slice(2)),
  logger: createLogger({ level: config.logLevel }),
  moreRoutes: (app) => registerRoutes(app, seatRoutes, { seats: async ({ entry }) => ({ entry: [...entry] }) }),
  onFatal: (reason) => stopping.stop(reason),
});
console.log(urr.url);
await stopping.asked;
await urr.stop();

function chosenRoles(names: readonly string[]) {
  if (names.length === 0) return roleNames;
  const parsed = parseRoles(names.join(','));
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.roles;
}
