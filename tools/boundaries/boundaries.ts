import { isContract, isDomain, isEdge, isProduct, isTest } from '../source/paths.ts';
import type { Boundary } from './boundary.ts';

/** Files of the platform that hold values and types only: no I/O, no clock, no randomness of their own. */
const pureFiles = new Set(['src/platform/assert.ts', 'src/platform/ids.ts', 'src/platform/http/identity.ts']);

/** Those with which a contract describes what a module shows, beside the pure ones. They load no engine and act on nothing. */
const describingFiles = new Set([
  'src/platform/bus/port.ts',
  'src/platform/errors.ts',
  'src/platform/http/contract.ts',
  'src/platform/http/names.ts',
  'src/platform/internal-call.ts',
  'src/platform/personal-data-calls.ts',
  'src/platform/schemas.ts',
]);

/** Functions of Node that only compute. */
const pureFunctions: Readonly<Record<string, readonly string[]>> = {
  'node:crypto': ['createHash', 'createHmac', 'timingSafeEqual'],
  'node:net': ['isIP', 'isIPv4', 'isIPv6'],
  'node:util': ['isDeepStrictEqual'],
};

/** What speaks to an engine. Everybody else knows the port beside it. */
const adapters: readonly RegExp[] = [
  /^src\/platform\/bus\/(embedded|kafka)\//,
  /^src\/platform\/redis\/client\.ts$/,
  /^src\/platform\/postgres\/(pool\.ts|embedded\/)/,
];

const moduleOf = (path: string): string | null => /^src\/modules\/([^/]+)\//.exec(path)?.[1] ?? null;
const adapterOf = (path: string): RegExp | undefined => adapters.find((adapter) => adapter.test(path));

export const boundaries: readonly Boundary[] = [
  {
    name: 'domain-is-pure',
    from: isDomain,
    allows: (from, to, { typeOnly, names }) =>
      to.startsWith(`src/modules/${moduleOf(from)}/domain/`) ||
      pureFiles.has(to) ||
      (pureFunctions[to] !== undefined && names.every((name) => pureFunctions[to]?.includes(name))) ||
      (typeOnly && /^(node:|src\/platform\/)/.test(to)),
    message: 'domain code decides and does nothing else',
    mend: 'Hand in what the decision needs as a parameter, or move the code that does I/O to storage/, routes/ or jobs/.',
  },
  {
    name: 'contracts-are-data',
    from: isContract,
    allows: (from, to, { typeOnly }) =>
      pureFiles.has(to) ||
      describingFiles.has(to) ||
      to === 'npm:typebox' ||
      (typeOnly && to.startsWith('node:')) ||
      // Domain code is pure and imports nothing outside its module, so what a schema and a decision share may live there.
      (moduleOf(to) === moduleOf(from) && (isContract(to) || isDomain(to))),
    message: 'a contract says what a module shows, and does nothing',
    mend: 'Describe it with typebox in this module’s contract files or domain/; what acts or knows another module stays behind index.ts.',
  },
  {
    name: 'modules-meet-at-contracts',
    from: (path) => path.startsWith('src/') && !isTest(path),
    allows: (from, to) => {
      const target = moduleOf(to);
      if (target === null || target === moduleOf(from)) return true;
      // Only what is above the modules makes one.
      return (
        to === `src/modules/${target}/contract.ts` ||
        (moduleOf(from) === null && to === `src/modules/${target}/index.ts`)
      );
    },
    message: 'this is inside another module',
    mend: 'Import what the other module shows in its contract.ts, ask it through its internal calls, or listen to its events. Only src/app and src/commands import an index.ts.',
  },
  {
    name: 'platform-knows-no-module',
    from: (path) => path.startsWith('src/platform/') && !isTest(path),
    allows: (_from, to) => !to.startsWith('src/') || to.startsWith('src/platform/'),
    message: 'the platform has no business word in it',
    mend: 'Let the module or src/app hand the thing to the platform as a parameter.',
  },
  {
    name: 'modules-know-no-app',
    from: (path) => moduleOf(path) !== null && !isTest(path),
    allows: (_from, to) => !to.startsWith('src/') || to.startsWith('src/platform/') || to.startsWith('src/modules/'),
    message: 'the composition root is above the modules',
    mend: 'Take what is needed as a dependency of the module’s factory; src/app passes it in.',
  },
  {
    name: 'only-app-names-adapters',
    from: (path) => isProduct(path) && !/^src\/(app|commands)\//.test(path),
    allows: (from, to, edge) => {
      const adapter = adapterOf(to);
      return adapter === undefined || adapter.test(from) || edge.typeOnly;
    },
    message: 'this is one concrete engine',
    mend: 'Depend on the port (port.ts, database.ts); src/app chooses the adapter.',
  },
  {
    name: 'scripts-stand-alone',
    from: (path) => path.startsWith('scripts/') && !isTest(path),
    allows: (_from, to) => to.startsWith('node:') || to.startsWith('scripts/'),
    message: 'scripts run on any Node before anything is installed',
    mend: 'Use Node’s own modules and scripts/lib only.',
  },
  {
    name: 'web-stands-alone',
    from: (path) => path.startsWith('web/src/') && !isTest(path),
    // A draw is verified in the browser by the very code that made it.
    allows: (_from, to) =>
      to.startsWith('web/') || to.startsWith('npm:') || (to.startsWith('edge/draw/') && !isTest(to)),
    message: 'the pages know the server through the generated client only',
    mend: 'Call the API with web/src/api/client.generated.ts.',
  },
  {
    name: 'edge-stands-alone',
    from: isEdge,
    allows: (_from, to) => to.startsWith('edge/') && !isTest(to),
    message: 'what runs at an edge brings everything with it, and finds neither Node nor urr there',
    mend: 'Hand in what is needed as a parameter; what the runtime has must be a standard of the web (Request, WebCrypto).',
  },
  {
    name: 'edge-meets-urr-in-one-place',
    from: isProduct,
    allows: (from, to) =>
      !to.startsWith('edge/') ||
      /^src\/(app|modules\/waiting-room)\//.test(from) ||
      (from.startsWith('src/commands/') && to.startsWith('edge/draw/')),
    message: 'the decision of tier 1 comes by the gateway’s port',
    mend: 'Use `EdgeDecision` of the gateway’s contract; src/modules/waiting-room fills it.',
  },
  {
    name: 'product-uses-no-tools',
    from: isProduct,
    allows: (_from, to) => !/^(test|tools|bench|web|scripts)\//.test(to) && !isTest(to),
    message: 'the program runs without its tests and tools',
    mend: 'Move the shared code into src/, or the user of it into test/, tools/ or bench/.',
  },
];
