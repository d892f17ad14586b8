import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Loading and compiling is most of a warm start; compiled code is kept beside the other things that were fetched or made.
enableCompileCache(fileURLToPath(new URL('../.cache/compiled', import.meta.url)));

const endsByItselfWithinMs = 2_000;

const { runCommandLine } = await import('./commands/command-line.ts');
process.exitCode = await runCommandLine(process.argv.slice(2));
// The command is done. What may still be open is a start that was given up, or a log that nobody reads.
setTimeout(() => process.exit(), endsByItselfWithinMs).unref();
