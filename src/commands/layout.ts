import { readFile, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, extname } from 'node:path';
import { openBus } from '#app/engines/bus.ts';
import {
  type CatalogService,
  createCatalog,
  type LayoutFileFormat,
  layoutFileBytesMax,
  layoutFileFormats,
  layoutTotals,
  readLayoutFile,
} from '#modules/catalog/index.ts';
import { postgresAuditLog } from '#platform/audit/postgres-audit-log.ts';
import { systemClock } from '#platform/clock.ts';
import { inSlices } from '#platform/concurrency/in-slices.ts';
import { isFault } from '#platform/errors.ts';
import { createIds } from '#platform/ids.ts';
import type { Database } from '#platform/postgres/database.ts';
import { systemRandom } from '#platform/random.ts';
import { type Command, type CommandInput, type ExitCode, exitCodes, UsageProblem } from './command.ts';
import { withDatabase } from './with-database.ts';

export const layout: Command = {
  name: 'layout',
  summary: 'Bring seat layouts in from files of other programs, and take them out.',
  usage:
    'layout import FILE --venue ID [--name NAME] [--format csv|pretix] | layout import FILE --check [--format csv|pretix] | layout export LAYOUT [FILE] [--format csv|pretix]',
  help: `
  urr layout import FILE --venue ID [--name NAME] [--format csv|pretix]
      Make a layout of a venue from a table of seats (CSV) or a seating plan of pretix (JSON). It belongs to the seller of
      the venue. Without --name it is called like the plan, or like the file. The format follows from the ending of FILE.
      Every problem is named by its line, and nothing is stored if there is one. What was lost or changed is a warning.

  urr layout import FILE --check
      Only say what is wrong with the file, or how many seats and standing places it has.

  urr layout export LAYOUT [FILE] [--format csv|pretix]
      Write a layout to FILE, which must not exist yet, or to standard output (CSV unless --format says otherwise).
      Importing it again makes the very same drawing.

docs/guides/layouts.md describes the formats.`,
  options: {
    venue: { type: 'string' },
    name: { type: 'string' },
    format: { type: 'string' },
    check: { type: 'boolean' },
  },
  takesWords: true,
  async run(input) {
    const [word, subject, file] = input.words;
    if (word === 'import' && subject !== undefined) return importFile(input, subject);
    if (word === 'export' && subject !== undefined) return exportLayout(input, subject, file);
    if (word === 'import' || word === 'export')
      throw new UsageProblem(word === 'import' ? 'name the file' : 'name the layout by its id');
    throw new UsageProblem(`${word === undefined ? '' : `there is no subcommand ${word}; `}say import or export`);
  },
};

async function importFile(input: CommandInput, file: string): Promise<ExitCode> {
  const { venue, check, name } = input.values;
  const format = formatOf(input, file);
  if (format === null)
    throw new UsageProblem('say --format csv or --format pretix: the ending of the file does not tell');
  if (typeof venue !== 'string' && check !== true) throw new UsageProblem('say --venue ID, or --check');
  if (typeof venue === 'string' && !uuidForm.test(venue)) throw new UsageProblem(`${venue} is not the id of a venue`);
  const reading = await inSlices(readLayoutFile(await bytesOf(file), format));
  tell(input.warn, 'warning: ', reading.warnings, reading.warningsTotal);
  tell(input.warn, '', reading.problems, reading.problemsTotal);
  if (reading.status === 'broken') {
    input.warn(`${file} was not imported: ${counted(reading.problemsTotal, 'problem')}`);
    return exitCodes.failed;
  }
  if (typeof venue !== 'string') {
    input.print(`${file} can be imported: ${placesText(layoutTotals(reading.document))}`);
    return exitCodes.ok;
  }
  const layoutName = typeof name === 'string' ? name : (reading.name ?? basename(file, extname(file)));
  if (!isName(layoutName)) throw new UsageProblem('say --name NAME, one line of at most 100 characters');
  return withCatalog(input, async ({ database, service }) => {
    const place = await service.venues.find(venue);
    if (place === null) throw new UsageProblem(`there is no venue ${venue}`);
    const { ownerId, id: venueId } = place;
    const actor = { userId: ownerId, role: 'seller' as const };
    const made = await database.transaction((tx) =>
      service.layouts.create(tx, actor, { name: layoutName, document: reading.document, ownerId, venueId }),
    );
    input.print(`layout ${made.id}: ${placesText(made)}`);
    return exitCodes.ok;
  });
}

async function exportLayout(input: CommandInput, id: string, file: string | undefined): Promise<ExitCode> {
  if (!uuidForm.test(id)) throw new UsageProblem(`${id} is not the id of a layout`);
  const format = formatOf(input, file ?? 'standard-output.csv');
  if (format === null)
    throw new UsageProblem('say --format csv or --format pretix: the ending of the file does not tell');
  return withCatalog(input, async ({ service }) => {
    const { summary, document } = await layoutOf(service, id);
    const bytes = await service.layoutFiles.write({ name: summary.name, document }, format);
    if (file === undefined) input.print(bytes.toString().trimEnd());
    else {
      await writeNew(file, bytes);
      input.print(`${file} has ${placesText(summary)}`);
    }
    return exitCodes.ok;
  });
}

async function layoutOf(service: CatalogService, id: string) {
  try {
    return await service.layouts.get({ userId: '', role: 'admin' }, id);
  } catch (error) {
    if (isFault(error) && error.code === 'NOT_FOUND') throw new UsageProblem(`there is no layout ${id}`);
    throw error;
  }
}

async function bytesOf(file: string): Promise<Buffer> {
  const { size } = await stat(file).catch(inWords({ ENOENT: `there is no file ${file}` }));
  if (size > layoutFileBytesMax)
    throw new Error(`${file} has ${size} bytes; at most ${layoutFileBytesMax} are allowed`);
  return readFile(file).catch(inWords({ EISDIR: `${file} is a folder`, EACCES: `${file} may not be read` }));
}

/** An older export may have been worked on by hand. */
function writeNew(file: string, bytes: Uint8Array): Promise<void> {
  const words = {
    EEXIST: `${file} exists already, and is kept as it is`,
    ENOENT: `there is no folder ${dirname(file)}`,
    EACCES: `${file} may not be written`,
  };
  return writeFile(file, bytes, { flag: 'wx' }).catch(inWords(words));
}

/** What the system says of a file, in words for a person. */
function inWords(words: Readonly<Record<string, string>>) {
  return (error: NodeJS.ErrnoException): never => {
    const sentence = words[error.code ?? ''];
    throw sentence === undefined ? error : new Error(sentence, { cause: error });
  };
}

function placesText({ seatCount, standingCapacity }: { seatCount: number; standingCapacity: number }): string {
  return `${counted(seatCount, 'seat')} and ${counted(standingCapacity, 'standing place')}`;
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

function withCatalog(
  input: CommandInput,
  work: (context: { database: Database; service: CatalogService }) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withDatabase(input, async ({ database, config, logger }) => {
    const clock = systemClock;
    const ids = createIds({ clock, random: systemRandom });
    const bus = await openBus({ config, database, clock, ids, logger, relay: false });
    try {
      const { service } = createCatalog({ database, bus, clock, ids, logger, audit: postgresAuditLog, auth: nobody });
      return await work({ database, service });
    } finally {
      await bus.stop();
    }
  });
}

/** As over HTTP. */
function isName(name: string): boolean {
  return name.trim() !== '' && [...name].length <= 100 && !/[\p{Cc}\p{Cs}]/u.test(name);
}

/** Asked only when an admin acts for a seller. */
const nobody = { usersById: async () => ({ users: [] }) };

const uuidForm = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const formatByEnding: Readonly<Record<string, LayoutFileFormat>> = { '.csv': 'csv', '.json': 'pretix' };

function formatOf(input: CommandInput, file: string): LayoutFileFormat | null {
  const { format } = input.values;
  if (format === undefined) return formatByEnding[extname(file).toLowerCase()] ?? null;
  const known = layoutFileFormats.find((one) => one === format);
  if (known === undefined) throw new UsageProblem(`--format is ${layoutFileFormats.join(' or ')}`);
  return known;
}

function tell(
  warn: CommandInput['warn'],
  prefix: string,
  remarks: readonly { line: number; field: string; message: string }[],
  total: number,
): void {
  for (const { line, field, message } of remarks)
    warn(`${prefix}line ${line}${field === '' ? '' : `, ${field}`}: ${message}`);
  if (total > remarks.length) warn(`${prefix}and ${total - remarks.length} more`);
}
