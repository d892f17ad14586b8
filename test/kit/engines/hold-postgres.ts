import { startEmbeddedPostgres } from '#platform/postgres/embedded/start.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';

// A program that does nothing but run the embedded server, so that tests can kill it: node hold-postgres.ts <dataDir>
const [dataDir] = process.argv.slice(2);
if (!dataDir) throw new Error('usage: hold-postgres.ts <dataDir>');
const { url, pid } = await startEmbeddedPostgres({ dataDir, logger: silentLogger });
console.log(JSON.stringify({ url, pid }));
setInterval(() => {}, 60_000);
