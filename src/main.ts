import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Loading and compiling is most of a warm start; compiled code is kept beside the other things that were fetched or made.
enableCompileCache(fileURLToPath(new URL('../.cache/compiled', import.meta.url)));

const { runCommandLine } = await import('./commands/command-line.ts');
process.exitCode = await runCommandLine(process.argv.slice(2));
