import type { BusEngine } from '#platform/bus/port.ts';
import { readRefused } from '#platform/bus/refused.ts';
import type { Database } from '#platform/postgres/database.ts';
import { type CommandInput, type ExitCode, exitCodes, UsageProblem } from '../command.ts';
import { idOf, limitOf, printWhole } from './whole.ts';

const listMax = 1_000;
const releaseLimitDefault = 100_000;
const noRowNamed = 'the ID is a number that urr bus refused shows';

/** `urr bus refused`. */
export async function printRefused({ print }: CommandInput, engine: BusEngine): Promise<ExitCode> {
  const rows = await engine.refusedRows({ limit: listMax });
  if (rows.length === 0) print('no event is refused');
  for (const row of rows) {
    const behind = row.behind > 0 ? `, ${row.behind} of its key wait behind it` : '';
    print(
      `row ${row.id}  ${row.topic}  partition ${row.partition}  key ${row.key}  ${row.type}  ${row.bytes} bytes  ` +
        `for ${Math.round(row.ageMs / 1000)} s${behind}: ${row.reason}`,
    );
  }
  if (rows.length === listMax) print(`only the first ${listMax} are shown`);
  return exitCodes.ok;
}

/** `urr bus refused --row ID`. */
export async function printRefusedRow(input: CommandInput, database: Database): Promise<ExitCode> {
  const id = idOf(input.values.row, noRowNamed);
  const row = await readRefused(database, id);
  if (row === null) return notRefused(input, id);
  printWhole(input, row);
  return exitCodes.ok;
}

/** `urr bus release --row ID`, `--drop ID`, `--topic TOPIC`. */
export async function releaseRefused(
  input: CommandInput,
  engine: Pick<BusEngine, 'refusedRows' | 'releaseRefused'>,
  { pieceRows = listMax } = {},
): Promise<ExitCode> {
  const { row, drop, topic } = input.values;
  if ([row, drop, topic].filter((value) => value !== undefined).length !== 1)
    throw new UsageProblem('say --row ID, --drop ID or --topic TOPIC');
  if (typeof topic === 'string') return releaseTopic(input, engine, { topic, pieceRows });
  const id = idOf(row ?? drop, noRowNamed);
  const released = await engine.releaseRefused({ id, drop: drop !== undefined });
  if (released === null) return notRefused(input, id);
  const { topic: of, key, behind, envelope } = released;
  const others = behind > 0 ? `, and ${behind} of its key after it` : '';
  if (drop === undefined) input.print(`row ${id} will be sent again to ${of}, key ${key}${others}`);
  else input.print(`row ${id} is dropped${behind > 0 ? `; ${behind} of its key go on` : ''}. It was: ${envelope}`);
  return exitCodes.ok;
}

/** In pieces, the oldest first, so that a key with several goes on in order. One that is refused once more is not tried again here. */
async function releaseTopic(
  input: CommandInput,
  engine: Pick<BusEngine, 'refusedRows' | 'releaseRefused'>,
  { topic, pieceRows }: { topic: string; pieceRows: number },
): Promise<ExitCode> {
  const limit = limitOf(input, releaseLimitDefault);
  let seen = 0;
  let released = 0;
  for (let afterId = 0; seen < limit; ) {
    const piece = await engine.refusedRows({ topic, afterId, limit: Math.min(pieceRows, limit - seen) });
    if (piece.length === 0) break;
    for (const { id } of piece) {
      if ((await engine.releaseRefused({ id, drop: false })) !== null) released += 1;
      afterId = id;
    }
    seen += piece.length;
  }
  input.print(`${released} refused events of ${topic} will be sent again`);
  if (seen === limit) input.print(`there may be more; urr bus release --topic ${topic} goes on`);
  return exitCodes.ok;
}

function notRefused({ warn }: CommandInput, id: number): ExitCode {
  warn(`no row ${id} is refused; urr bus refused shows those that are`);
  return exitCodes.failed;
}
