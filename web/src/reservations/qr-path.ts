import { encode } from 'uqr';

/** A code as one path of dark squares, a unit each, with the quiet border that scanners need. */
export function qrPath(code: string): { readonly size: number; readonly path: string } {
  const { data, size } = encode(code, { ecc: 'M', border: quietModules });
  let path = '';
  for (const [y, row] of data.entries()) {
    for (let x = 0; x < size; x += 1) {
      if (row[x] !== true) continue;
      const from = x;
      while (row[x + 1] === true) x += 1;
      const width = x - from + 1;
      path += `M${from} ${y}h${width}v1h-${width}z`;
    }
  }
  return { size, path };
}

const quietModules = 4;
