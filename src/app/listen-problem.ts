/** Why the door could not be opened, and which setting helps. */
export function listenProblem(error: unknown, { host, port }: { host: string; port: number }): Error {
  const advice = adviceOf((error as NodeJS.ErrnoException).code, host, port);
  return advice === null && error instanceof Error ? error : new Error(advice ?? String(error), { cause: error });
}

function adviceOf(code: string | undefined, host: string, port: number): string | null {
  switch (code) {
    case 'EADDRINUSE':
      return (
        `port ${port} of ${host} is in use, perhaps by another urr. ` +
        'Stop that program, or set URR_PORT to another port (0 takes any free one).'
      );
    case 'EACCES':
      return `this user may not listen on port ${port}. Set URR_PORT to one from 1024 up.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is no address of this machine. Set URR_HOST to one that is, or to 0.0.0.0 for all of them.`;
    default:
      return null;
  }
}
