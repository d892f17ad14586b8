const projects = ['unit', 'int', 'http', 'e2e', 'browser'];

const enginesOf = {
  unit: [],
  int: ['redis', 'kafka'],
  http: ['redis', 'kafka'],
  e2e: ['redis', 'kafka', 'nginx'],
  browser: ['redis', 'kafka', 'nginx', 'chromium'],
};
const withPages = ['http', 'e2e', 'browser'];

/** What a run needs, read from vitest's own arguments; they are passed on unchanged. */
export function chooseWork(args) {
  const chosen = chosenProjects(args);
  const watch = args.some((arg) => arg === '--watch' || arg === '-w');
  return {
    watch,
    // Choosing a part means being in a hurry; `npm run check` is there for the rest.
    check: args.length === 0,
    engines: [...new Set(chosen.flatMap((project) => enginesOf[project]))],
    pages: chosen.some((project) => withPages.includes(project)),
    vitestArgs: args.filter((arg) => arg !== '--watch' && arg !== '-w'),
  };
}

function chosenProjects(args) {
  const named = args.flatMap((arg, index) => {
    if (arg.startsWith('--project=')) return [arg.slice('--project='.length)];
    return args[index - 1] === '--project' ? [arg] : [];
  });
  const byFile = args.flatMap((arg) => /\.(\w+)\.test\.tsx?$/.exec(arg)?.[1] ?? []);
  const chosen = (named.length > 0 ? named : byFile).filter((project) => projects.includes(project));
  return chosen.length > 0 ? chosen : projects;
}
