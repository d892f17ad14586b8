import { createLogger } from '../telemetry/logger.ts';
import { outliveForgottenFailures } from './forgotten.ts';

// A program that forgets a promise, or throws where nobody catches, and says how often it was told of the first.
const [how] = process.argv.slice(2);
let count = 0;
outliveForgottenFailures({ logger: createLogger({ level: 'info' }), counted: () => (count += 1) });
if (how === 'promises') {
  void Promise.reject(new Error('forgotten'));
  void Promise.reject(null);
}
if (how === 'exception')
  setImmediate(() => {
    throw new Error('uncaught');
  });
setTimeout(() => process.stdout.write(`alive after ${count}\n`), 100);
