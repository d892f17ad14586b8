import { type Call, parseTree } from '../source/parsed.ts';
import { isDomain, isEdge, isEdgeDecision, isProduct } from '../source/paths.ts';
import type { Rule } from '../source/rule.ts';

/** A rule about names that must not be used in some files. */
function forbiddenUse(options: {
  name: string;
  mend: string;
  message: string;
  within: (path: string) => boolean;
  matches: (use: Call) => boolean;
}): Rule {
  return {
    name: options.name,
    mend: options.mend,
    find: (tree) =>
      [...parseTree(tree).values()]
        .filter(({ path }) => options.within(path))
        .flatMap(({ path, uses }) =>
          uses
            .filter(options.matches)
            .map(({ name, line }) => ({ file: path, line, message: `uses ${name}: ${options.message}` })),
        ),
  };
}

/** The command line hands the environment to src/app; the lifecycle looks for the marks of the process that started us. */
const environmentReaders = /^src\/(app\/|main\.ts$|commands\/command-line\.ts$|platform\/lifecycle\/)/;

const impure =
  /^(Date\.now|Math\.random|performance\.now|process\.\w+|crypto\.\w+|fetch|setTimeout|setInterval|setImmediate)$/;

export const codeRules: readonly Rule[] = [
  forbiddenUse({
    name: 'domain-reads-no-clock',
    mend: 'Take the time, the id or the random number as a parameter.',
    message: 'domain code reads no clock, no randomness and no surroundings',
    within: (path) => isDomain(path) || isEdgeDecision(path),
    matches: ({ name, argumentCount }) =>
      impure.test(name) || (name === 'new Date' && argumentCount === 0) || name === 'Date',
  }),
  forbiddenUse({
    name: 'app-reads-environment',
    mend: 'Add a setting to src/app/config.ts and hand its value in.',
    message: 'the environment is read once, at the composition root',
    within: (path) => (isProduct(path) && !environmentReaders.test(path)) || isEdge(path),
    matches: ({ name }) => name === 'process.env' || name.startsWith('process.env.'),
  }),
  forbiddenUse({
    name: 'program-logs-through-logger',
    mend: 'Take a Logger as a dependency; only the command line writes to the terminal.',
    message: 'a line on the terminal reaches no log',
    within: (path) => (isProduct(path) && !path.startsWith('src/commands/') && path !== 'src/main.ts') || isEdge(path),
    matches: ({ name }) => /^console\.\w+$/.test(name),
  }),
  forbiddenUse({
    name: 'every-test-runs',
    mend: 'Take `.only`, `.skip` or `.todo` away; a test that cannot run here is decided by its fixture, loudly.',
    message: 'a test that does not run proves nothing',
    within: (path) => /\.test\.tsx?$/.test(path),
    matches: ({ name }) => /^(describe|it|test|suite)(\.\w+)*\.(only|skip|todo|fails)$/.test(name),
  }),
];
