import { appendFileSync } from 'node:fs';
import { watchParent } from './parent-watch.ts';

// A program that runs until it is told to stop or left alone, and writes down what happened.
const [diary] = process.argv.slice(2);
if (!diary) throw new Error('usage: parent-watch.fixture.ts <file>');
const end = (why: string) => {
  appendFileSync(diary, `${why}\n`);
  process.exit(7);
};
await watchParent(end);
process.once('SIGTERM', end);
setInterval(() => {}, 60_000);
appendFileSync(diary, `running ${process.pid}\n`);
