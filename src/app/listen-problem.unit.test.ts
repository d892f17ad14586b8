import { describe, expect, it } from 'vitest';
import { listenProblem } from './listen-problem.ts';

const address = { host: '127.0.0.1', port: 3000 };

function failed(code: string): Error {
  return Object.assign(new Error(`listen ${code}`), { code });
}

describe('listenProblem', () => {
  it('names the port that is in use and the setting that changes it', () => {
    expect(listenProblem(failed('EADDRINUSE'), address).message).toMatch(
      /^port 3000 of 127\.0\.0\.1 is in use.*URR_PORT/,
    );
  });

  it('says which ports need no privilege', () => {
    expect(listenProblem(failed('EACCES'), { ...address, port: 80 }).message).toMatch(/port 80\. Set URR_PORT.*1024/);
  });

  it('names the address that this machine does not have', () => {
    for (const code of ['EADDRNOTAVAIL', 'ENOTFOUND']) {
      expect(listenProblem(failed(code), address).message).toMatch(/^127\.0\.0\.1 is no address.*URR_HOST/);
    }
  });

  it('leaves every other failure as it is', () => {
    const other = failed('EMFILE');
    expect(listenProblem(other, address)).toBe(other);
  });
});
