import { createServer, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createDatabase } from './pool.ts';

/** As much of PostgreSQL as it takes: it says at the end of an answer that it stops, in the same packet. */
async function aServerThatStopsBehindAnAnswer(isLast: (statement: string) => boolean): Promise<string> {
  const server = createServer((socket) => {
    let started = false;
    let status = 'I';
    socket.on('error', () => undefined);
    socket.on('data', (data: Buffer) => {
      if (!started) {
        started = true;
        socket.write(Buffer.concat([message('R', Buffer.from([0, 0, 0, 0])), ready('I')]));
        return;
      }
      if (String.fromCharCode(data[0] ?? 0) !== 'Q') return;
      const statement = data.subarray(5, data.length - 1).toString();
      if (statement.startsWith('BEGIN')) status = 'T';
      if (statement === 'COMMIT' || statement === 'ROLLBACK') status = 'I';
      answer(socket, { statement, status });
    });
  });
  const answer = (socket: Socket, { statement, status }: { statement: string; status: string }) => {
    const command = statement.split(/[ ;]/)[0] ?? '';
    const done = [message('C', text(command)), ready(status)];
    if (isLast(statement)) socket.end(Buffer.concat([...done, stopping]));
    else socket.write(Buffer.concat(done));
  };
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  endings.push(() => server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port');
  return `postgres://somebody@127.0.0.1:${address.port}/any`;
}

const text = (value: string) => Buffer.from(`${value}\0`);
function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}
const ready = (status: string) => message('Z', Buffer.from(status));
const stopping = message(
  'E',
  Buffer.concat([text('SFATAL'), text('C57P01'), text('Mterminating connection'), Buffer.from([0])]),
);

const endings: (() => unknown)[] = [];
afterEach(() => Promise.all(endings.splice(0).map((end) => end())));

test('a connection that is lost while it is handed to the next one who waits does not end the process', async () => {
  const uncaught: unknown[] = [];
  const listeners = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException').on('uncaughtException', (error) => uncaught.push(error));
  endings.push(() => {
    process.removeAllListeners('uncaughtException');
    for (const listener of listeners) process.on('uncaughtException', listener);
  });
  const url = await aServerThatStopsBehindAnAnswer((statement) => statement === 'SELECT 1');
  const database = createDatabase({ url, poolMax: 1 });
  endings.push(() => database.close());
  const first = database.query('SELECT 1');
  const next = database.transaction((tx) => tx.query('SELECT 2'));
  await expect(first).resolves.toMatchObject({ rowCount: 0 });
  // On a connection of its own: nothing had been done on the one that was lost.
  await expect(next).resolves.toMatchObject({ rowCount: 0 });
  expect(uncaught).toEqual([]);
});
