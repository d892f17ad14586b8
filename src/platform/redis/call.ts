import type { Duplex } from 'node:stream';
import { Command } from 'ioredis';
import { isNotNow } from './failure.ts';

/** A command that remembers where it was sent, and so can say whether it is safe to send it again. */
export class Call extends Command {
  #sentOn: Pick<Duplex, 'destroyed'> | null = null;

  constructor(name: string, args: (string | number | Buffer)[]) {
    super(name, args, { replyEncoding: 'utf8' });
  }

  /** The client asks for the bytes at the moment at which it writes them, and again after each redirection. */
  override toWritable(socket: Duplex): string | Buffer {
    this.#sentOn = socket;
    return super.toWritable(socket);
  }

  /**
   * True: it surely did not run. It was never written; or the server said "not now"; or it was written, the socket
   * lives, and it failed all the same: then that server has answered with a redirection which led nowhere.
   * A socket that died may have taken the command with it or delivered it: nobody knows.
   */
  didNotRun(error: unknown): boolean {
    if (error instanceof Error && error.name === 'ReplyError') return isNotNow(error);
    return this.#sentOn === null || !this.#sentOn.destroyed;
  }
}
