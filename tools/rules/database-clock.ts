import { parseTree } from '../source/parsed.ts';
import { isProduct } from '../source/paths.ts';
import type { Place, Rule } from '../source/rule.ts';

/** Where `urr.now()` is made, what runs before it exists, and what compares the real clocks of two machines. */
const exempt = new Set([
  'src/platform/postgres/migrations/0001_platform.sql',
  'src/platform/postgres/migrate.ts',
  'src/commands/doctor.ts',
]);
const otherClock =
  /(?<![\w.])(now|clock_timestamp|transaction_timestamp|statement_timestamp|timeofday)\s*\(\s*\)|\b(CURRENT_(TIMESTAMP|DATE|TIME)|LOCALTIME(STAMP)?)\b/;

export const oneDatabaseClock: Rule = {
  name: 'one-database-clock',
  mend: 'Use urr.now(), which tests can replace.',
  find(tree) {
    const places: Place[] = [];
    for (const [file, text] of tree) {
      if (!file.startsWith('src/') || !file.endsWith('.sql') || exempt.has(file) || text === null) continue;
      for (const [index, line] of text.split('\n').entries()) {
        const found = otherClock.exec(line.replace(/--.*$/, ''));
        if (found !== null) places.push({ file, line: index + 1, message: `reads the clock with ${found[0]}` });
      }
    }
    for (const { path, strings } of parseTree(tree).values()) {
      if (!isProduct(path) || exempt.has(path)) continue;
      for (const { text, line } of strings) {
        const found = otherClock.exec(text);
        if (found !== null) places.push({ file: path, line, message: `reads the database's clock with ${found[0]}` });
      }
    }
    return places;
  },
};
