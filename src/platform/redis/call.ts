import type { Duplex } from 'node:stream';
import { Command } from 'ioredis';
import { isNotNow } from './failure.ts';

/** A command that remembers where it was sent, and so can say whether it is safe to send it again. */
export class Call extends Command {
  #sentOn: Pick<Duplex, 'destroyed'> | null = null;

  /** It changes nothing, so it may be asked again even if it has run. */
  readonly #isQuestion: boolean;

  constructor(name: string, args: (string | number | Buffer)[], isQuestion = isQuestionByName(name, args)) {
    super(name, args, { replyEncoding: 'utf8' });
    this.#isQuestion = isQuestion;
  }

  /** The client asks for the bytes at the moment at which it writes them, and again after each redirection. */
  override toWritable(socket: Duplex): string | Buffer {
    this.#sentOn = socket;
    return super.toWritable(socket);
  }

  /** True: sending it again does no harm. */
  mayBeRepeated(error: unknown): boolean {
    const isReply = error instanceof Error && error.name === 'ReplyError';
    return this.#didNotRun(error) || (this.#isQuestion && !isReply);
  }

  /**
   * True: it surely did not run. It was never written; or the server said "not now"; or it was written, the socket
   * lives, and it failed all the same: then that server has answered with a redirection which led nowhere.
   * A socket that died may have taken the command with it or delivered it: nobody knows.
   */
  #didNotRun(error: unknown): boolean {
    if (error instanceof Error && error.name === 'ReplyError') return isNotNow(error);
    return this.#sentOn === null || !this.#sentOn.destroyed;
  }
}

/** Those that are used here; whatever is not named is taken for a change. */
const questions = new Set(['ping', 'get', 'smembers', 'cluster slots']);

function isQuestionByName(name: string, [first]: readonly unknown[]): boolean {
  const lower = name.toLowerCase();
  return questions.has(lower) || questions.has(`${lower} ${String(first).toLowerCase()}`);
}
