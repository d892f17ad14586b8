import { stopOnSignals } from './signals.ts';

// A program that needs a while to stop, and says how it went by its exit code.
const [stopsWithinMs] = process.argv.slice(2);
const keepAlive = setInterval(() => {}, 60_000);
const stopping = stopOnSignals();
process.stdout.write('running\n');
await stopping.asked;
process.stdout.write('stopping\n');
await new Promise((resolve) => setTimeout(resolve, Number(stopsWithinMs)));
clearInterval(keepAlive);
process.exit(0);
