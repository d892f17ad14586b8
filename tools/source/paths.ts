/** The few questions about a path that every rule asks alike. */
export function isCode(path: string): boolean {
  return /\.(ts|tsx|mts|mjs|js)$/.test(path);
}

/** Tests and what only tests use. */
export function isTest(path: string): boolean {
  return (
    /\.test\.tsx?$/.test(path) ||
    path.startsWith('test/') ||
    /\/(test|testing|conformance)(\/|\.ts$)/.test(path) ||
    path === 'edge/decide/cases.ts'
  );
}

/** What also runs where there is no urr and no Node: at the edge of a network, in somebody else's site. */
export function isEdge(path: string): boolean {
  return path.startsWith('edge/') && isCode(path) && !isTest(path);
}

/** The decision and the draw themselves, without the drivers that ask the runtime for a MAC or a signature. */
export function isEdgeDecision(path: string): boolean {
  return /^edge\/(decide\/(?!web-macs)|draw\/(?!web-signatures)|rooms\.ts$)/.test(path) && isEdge(path);
}

export function isGenerated(path: string): boolean {
  return /\.generated\.ts$/.test(path) || path.startsWith('docs/reference/') || path === 'package-lock.json';
}

/** Code of the running program. */
export function isProduct(path: string): boolean {
  return path.startsWith('src/') && isCode(path) && !isTest(path);
}

export function isDomain(path: string): boolean {
  return /^src\/modules\/[^/]+\/domain\//.test(path) && isProduct(path);
}

/** `contract.ts` of a module and the files it is made of, by their names: `topics.ts`, `routes/admin-contracts.ts`, … */
export function isContract(path: string): boolean {
  return (
    /^src\/modules\/[^/]+\/(.+\/)?([\w-]+-)?(contracts?|topics|internal-calls|schemas)\.ts$/.test(path) &&
    isProduct(path)
  );
}
