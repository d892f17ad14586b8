import { onPath, run, step, withRetry } from './commands.mjs';

/** Each answers null when the engine is there, or the reason why it cannot be had. */
export async function ensureRedis() {
  return ensureCommand('redis-server', ['redis-server']);
}

export async function ensureChromium() {
  if (['chromium', 'chromium-browser', 'google-chrome'].some(onPath)) return null;
  return ensureCommand('chromium', ['chromium']);
}

/** What stands in front of urr in its tests. */
export async function ensureNginx() {
  return ensureCommand('nginx', ['nginx-light']);
}

/** Java 17 or newer. */
export async function ensureJava() {
  const lacking = await ensureCommand('java', ['openjdk-17-jre-headless']);
  if (lacking) return lacking;
  const said = await run('java', ['-version']).catch((error) => error.message);
  const major = Number(/version "(?:1\.)?(\d+)/.exec(said)?.[1]);
  return major >= 17 ? null : `java is version ${major}, and Kafka needs 17 or newer`;
}

export async function ensureMaven() {
  return ensureCommand('mvn', ['maven']);
}

/** What benchmarks make load with. */
export async function ensureWrk() {
  return ensureCommand('wrk', ['wrk']);
}

async function ensureCommand(command, packages) {
  if (onPath(command)) return null;
  if (process.getuid?.() !== 0 || !onPath('apt-get')) {
    return `${command} is not installed, and only root on a Debian-like system can have it installed from here`;
  }
  try {
    await step(`installing ${packages.join(', ')}`, () => aptInstall(packages));
    return onPath(command) ? null : `${packages.join(', ')} brought no ${command}`;
  } catch (error) {
    return error.message;
  }
}

let updated = null;

async function aptInstall(packages) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args) => withRetry(() => run('apt-get', ['-o', 'DPkg::Lock::Timeout=120', ...args], { env }));
  updated ??= apt('update');
  await updated;
  await apt('install', '-y', '--no-install-recommends', ...packages);
}
