import { readParked } from '#platform/bus/parked.ts';
import type { BusEngine } from '#platform/bus/port.ts';
import type { Database } from '#platform/postgres/database.ts';
import { type CommandInput, type ExitCode, exitCodes, UsageProblem } from '../command.ts';
import { idOf, limitOf, printWhole } from './whole.ts';

const listMax = 1_000;
const noRowNamed = 'the ID is a number that urr bus parked shows';

/** `urr bus parked`. */
export async function printParked({ print }: CommandInput, engine: BusEngine): Promise<ExitCode> {
  const rows = await engine.parkedRows({ limit: listMax });
  if (rows.length === 0) print('no event is parked');
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

/** `urr bus parked --row ID`. */
export async function printParkedRow(input: CommandInput, database: Database): Promise<ExitCode> {
  const id = idOf(input.values.row, noRowNamed);
  const row = await readParked(database, id);
  if (row === null) return notParked(input, id);
  printWhole(input, row);
  return exitCodes.ok;
}

/** `urr bus release --row ID`, `--drop ID`, `--topic TOPIC`. */
export async function releaseParked(input: CommandInput, engine: BusEngine): Promise<ExitCode> {
  const { row, drop, topic } = input.values;
  if ([row, drop, topic].filter((value) => value !== undefined).length !== 1)
    throw new UsageProblem('say --row ID, --drop ID or --topic TOPIC');
  if (typeof topic === 'string') return releaseTopic(input, engine, topic);
  const id = idOf(row ?? drop, noRowNamed);
  const released = await engine.releaseParked({ id, drop: drop !== undefined });
  if (released === null) return notParked(input, id);
  const { topic: of, key, behind, envelope } = released;
  const others = behind > 0 ? `, and ${behind} of its key after it` : '';
  if (drop === undefined) input.print(`row ${id} will be sent again to ${of}, key ${key}${others}`);
  else input.print(`row ${id} is dropped${behind > 0 ? `; ${behind} of its key go on` : ''}. It was: ${envelope}`);
  return exitCodes.ok;
}

/** The oldest first, so that a key with several goes on in order. */
async function releaseTopic(input: CommandInput, engine: BusEngine, topic: string): Promise<ExitCode> {
  const parked = (await engine.parkedRows({ limit: listMax })).filter((row) => row.topic === topic);
  let count = 0;
  for (const { id } of parked.slice(0, limitOf(input, listMax))) {
    if ((await engine.releaseParked({ id, drop: false })) !== null) count += 1;
  }
  input.print(`${count} of ${parked.length} parked events of ${topic} will be sent again`);
  return exitCodes.ok;
}

function notParked({ warn }: CommandInput, id: number): ExitCode {
  warn(`no row ${id} is parked; urr bus parked shows those that are`);
  return exitCodes.failed;
}
