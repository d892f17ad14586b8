import { encode } from 'uqr';

/** Four modules, as the standard wants: readers look for it. */
const quietZone = 4;

/**
 * An SVG of one path. Runs of black modules are one stroke each, which is a third of the bytes and leaves no hairlines between them.
 * Black on white whatever the page looks like: a dark theme must not turn it around.
 */
export function qrPictureOf(code: string): string {
  const { size, data } = encode(code, { ecc: 'M', border: quietZone });
  const runs = data.flatMap((row, y) => runsOf(row).map(({ from, length }) => `M${from} ${y}h${length}v1h-${length}z`));
  const box = `viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"`;
  const ground = `<path fill="#fff" d="M0 0h${size}v${size}H0z"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${box}>${ground}<path d="${runs.join('')}"/></svg>`;
}

function runsOf(row: readonly boolean[]): { from: number; length: number }[] {
  const runs: { from: number; length: number }[] = [];
  for (const [x, isBlack] of row.entries()) {
    if (!isBlack) continue;
    const last = runs.at(-1);
    if (last !== undefined && last.from + last.length === x) last.length += 1;
    else runs.push({ from: x, length: 1 });
  }
  return runs;
}
