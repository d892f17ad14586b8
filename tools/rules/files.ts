import { isCode, isGenerated } from '../source/paths.ts';
import type { Place, Rule } from '../source/rule.ts';
import type { SourceTree } from '../source/tree.ts';

const linesMax = 400;

const wellKnown = /^(README|ARCHITECTURE|CONTRIBUTING|SECURITY|CHANGELOG)\.md$|^(LICENSE|NOTICE|Dockerfile|Makefile)$/;
const kebabCase = /^[.$]?[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/;
/** Migrations and decisions are numbered. */
const numbered = /^\d{4}[_-][a-z0-9]+([_-][a-z0-9]+)*\.(sql|md)$/;

const kebabCaseNames: Rule = {
  name: 'kebab-case-names',
  mend: 'Rename it: small letters, digits and hyphens, named for what it holds.',
  find: (tree) =>
    [...tree.keys()].flatMap((file) => {
      const name = file.slice(file.lastIndexOf('/') + 1);
      if (kebabCase.test(name) || numbered.test(name) || wellKnown.test(name)) return [];
      return [{ file, message: 'is not named in kebab-case' }];
    }),
};

const shortFiles: Rule = {
  name: 'short-files',
  mend: 'Look for the second story in it and give that a file of its own.',
  find: (tree) =>
    texts(tree)
      .filter(({ file }) => (isCode(file) || /\.(sql|lua|css)$/.test(file)) && !isGenerated(file))
      .map(({ file, text }) => ({ file, lines: text.trimEnd().split('\n').length }))
      .filter(({ lines }) => lines > linesMax)
      .map(({ file, lines }) => ({ file, message: `has ${lines} lines; ${linesMax} is the most` })),
};

const modulesAreWhole: Rule = {
  name: 'modules-are-whole',
  mend: 'Write README.md (purpose, invariants, tables, topics, on one screen), contract.ts (what others may import) and index.ts (what src/app starts).',
  find(tree) {
    const files = [...tree.keys()].filter((file) => /^src\/modules\/[^/]+\//.test(file));
    const byName = Map.groupBy(files, (file) => file.split('/')[2]);
    // A contract may come before its module: others can then be written against it.
    const begun = [...byName].filter(([name, own]) => own.join() !== `src/modules/${name}/contract.ts`);
    return begun.flatMap(([name]) =>
      ['README.md', 'contract.ts', 'index.ts']
        .map((file) => `src/modules/${name}/${file}`)
        .filter((file) => !tree.has(file))
        .map((file) => ({ file, message: 'is missing' })),
    );
  },
};

/** Each is cut in two here so that this file does not break the rule itself. */
const elsewhere = [
  {
    what: 'a path of one machine',
    pattern: new RegExp(`(?<![\\w.~-])/(?:${['root', 'home', 'work', 'Users'].join('|')})/[\\w.-]+`),
  },
  {
    what: 'a package registry',
    pattern: new RegExp(
      `\\bhttps?://[^\\s"'\`]*(?:${['regis' + 'try', 'artifac' + 'tory', 'nex' + 'us', 'verdac' + 'cio'].join('|')})`,
    ),
  },
];

const noMachineNames: Rule = {
  name: 'no-machine-names',
  mend: 'Use a path relative to the project, a free port, or a setting.',
  find: (tree) => linesMatching(tree, () => true, elsewhere),
};

const unfinished = [
  {
    what: 'a note about unfinished work',
    pattern: new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X'].join('|')})\\b`),
  },
];

const nothingUnfinished: Rule = {
  name: 'nothing-unfinished',
  mend: 'Finish it, or leave it out.',
  find: (tree) => linesMatching(tree, (file) => isCode(file) || /\.(sql|lua|md)$/.test(file), unfinished),
};

const lockfileNamesNoHost: Rule = {
  name: 'lockfile-names-no-host',
  mend: 'Run `npm install` again: .npmrc sets omit-lockfile-registry-resolved.',
  find: (tree) =>
    linesMatching(tree, (file) => file === 'package-lock.json', [
      { what: 'the host a package came from', pattern: /"resolved": "(?!node_modules|\.|file:)/ },
    ]),
};

export const fileRules: readonly Rule[] = [
  kebabCaseNames,
  shortFiles,
  modulesAreWhole,
  noMachineNames,
  nothingUnfinished,
  lockfileNamesNoHost,
];

function texts(tree: SourceTree): { file: string; text: string }[] {
  return [...tree].flatMap(([file, text]) => (text === null ? [] : [{ file, text }]));
}

function linesMatching(
  tree: SourceTree,
  within: (file: string) => boolean,
  patterns: readonly { what: string; pattern: RegExp }[],
): Place[] {
  return texts(tree)
    .filter(({ file }) => within(file))
    .flatMap(({ file, text }) =>
      text
        .split('\n')
        .flatMap((line, index) =>
          patterns
            .filter(({ pattern }) => pattern.test(line))
            .map(({ what }) => ({ file, line: index + 1, message: `holds ${what}` })),
        ),
    );
}
