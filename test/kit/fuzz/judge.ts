import type { TSchema } from 'typebox';
import { compileSchema } from '#platform/http/validation.ts';
import { eventStream, type RawAnswer } from '#test/kit/raw-http.ts';
import type { FuzzOperation } from './operations.ts';

/** Says what is wrong with an answer, judged by the document alone. Empty: nothing. */
export type Judge = (answer: RawAnswer) => string[];

/** Refusals of the server itself, before any operation is known: the document has them under `default`. */
const anywhere: ReadonlyMap<number, readonly string[]> = new Map([
  [413, ['PAYLOAD_TOO_LARGE']],
  [415, ['UNSUPPORTED_MEDIA_TYPE']],
  [431, ['HEADERS_TOO_LARGE']],
]);

export function createJudge(operation: FuzzOperation): Judge {
  const checks = new Map(
    [...operation.answers].map(([status, schema]) => [status, schema && compileSchema(schema as TSchema)]),
  );
  return (answer) => {
    if (answer.status >= 500) return [`${answer.status}: ${answer.text.slice(0, 500)}`];
    if (answer.status >= 400) return problemFaults(answer, operation);
    const check = checks.get(answer.status);
    if (check === undefined) return [`the document knows no ${answer.status}`];
    const type = answer.headers['content-type'] ?? '';
    if (operation.downloads.length > 0)
      return operation.downloads.some((one) => type.startsWith(one)) ? [] : [`the file is ${type}`];
    if (check === null) return answer.text === '' ? [] : [`${answer.status} has a body`];
    if (type.startsWith(eventStream)) return messagesIn(answer.text).flatMap((message) => check(message).map(said));
    if (!type.startsWith('application/json')) return ['the answer is not JSON'];
    return check(JSON.parse(answer.text)).map(said);
  };
}

const said = (fault: string) => `the answer ${fault}`;

function messagesIn(stream: string): unknown[] {
  return [...stream.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data));
}

function problemFaults(answer: RawAnswer, operation: FuzzOperation): string[] {
  if (!answer.headers['content-type']?.startsWith('application/problem+json')) {
    return [`${answer.status} is no problem document: ${answer.text.slice(0, 200)}`];
  }
  const problem = JSON.parse(answer.text) as Record<string, unknown>;
  const faults: string[] = [];
  for (const member of ['type', 'title', 'code', 'requestId']) {
    if (typeof problem[member] !== 'string' || problem[member] === '') faults.push(`the problem has no ${member}`);
  }
  if (problem.status !== answer.status) faults.push(`the problem says ${problem.status}, the answer ${answer.status}`);
  const codes = operation.refusals.get(answer.status) ?? anywhere.get(answer.status) ?? [];
  if (!codes.includes(String(problem.code))) {
    faults.push(`the document knows no ${answer.status} ${problem.code}: ${answer.text.slice(0, 300)}`);
  }
  if (answer.status === 429 && !(Number(answer.headers['retry-after']) >= 1)) faults.push('429 without Retry-After');
  if (answer.status === 401 && answer.headers['set-cookie']?.some((cookie) => !cookie.includes('Max-Age=0')) === true) {
    faults.push('a refused caller got a cookie');
  }
  return faults;
}
