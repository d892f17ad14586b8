import type { BusEngine } from '#platform/bus/port.ts';
import { type CommandInput, type ExitCode, exitCodes, UsageProblem } from '../command.ts';

const listMax = 1_000;

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

/** `urr bus release --row ID`, `urr bus release --drop ID`. */
export async function releaseParked({ values, print, warn }: CommandInput, engine: BusEngine): Promise<ExitCode> {
  const { row, drop } = values;
  if ((row === undefined) === (drop === undefined)) throw new UsageProblem('say --row ID or --drop ID');
  const id = Number(row ?? drop);
  if (!Number.isSafeInteger(id) || id < 1) throw new UsageProblem('the ID is a number that urr bus parked shows');
  const released = await engine.releaseParked({ id, drop: drop !== undefined });
  if (released === null) {
    warn(`no row ${id} is parked; urr bus parked shows those that are`);
    return exitCodes.failed;
  }
  const { topic, key, behind, envelope } = released;
  const others = behind > 0 ? `, and ${behind} of its key after it` : '';
  if (drop === undefined) print(`row ${id} will be sent again to ${topic}, key ${key}${others}`);
  else print(`row ${id} is dropped${behind > 0 ? `; ${behind} of its key go on` : ''}. It was: ${envelope}`);
  return exitCodes.ok;
}
