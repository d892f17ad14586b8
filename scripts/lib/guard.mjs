import { root } from './paths.mjs';

/** Does the set-up; when the machine stands in the way, says what and what to do instead of showing a stack, and ends. */
export async function guard(setUp) {
  try {
    return await setUp();
  } catch (error) {
    console.error(`\n${explain(error)}`);
    process.exit(1);
  }
}

const unreachable = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT)\b/;

export function explain(error) {
  const said = [error?.message, error?.cause?.message].filter(Boolean).join('\n');
  const advice = adviceFor(error, said);
  if (advice) return `${said}\n\n${advice}`;
  // Without a code it may be a mistake of ours, and then the place matters.
  return error?.stack && error.constructor !== Error ? error.stack : said || String(error);
}

function adviceFor(error, said) {
  if (error?.code === 'ENOENT' && error.syscall === 'spawn npm') {
    return 'npm is not on the PATH. It comes with Node; install it, or add its folder to the PATH.';
  }
  if (/\bENOSPC\b/.test(said)) {
    return 'The disk is full. Make room and run the same command again; what was half made is not used.';
  }
  if (/\b(EACCES|EPERM|EROFS)\b/.test(said)) {
    return `This user may not write there. What is fetched and built is kept in ${root} (.cache, node_modules, web/dist):\nmake that folder writable, or copy it to one of your own.`;
  }
  if (unreachable.test(said)) {
    return 'The network did not answer. Packages are fetched by npm: `npm ping` tells whether it works, and behind a proxy\n`npm config set https-proxy` helps. Then run the same command again; what was fetched completely is kept.';
  }
  return null;
}
