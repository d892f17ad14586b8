import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd } from './at-end.ts';

/** A plain server on a free port of loopback, until the test file ends. */
export async function serving(server: Server): Promise<{ readonly port: number; readonly url: string }> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(async () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}` };
}
