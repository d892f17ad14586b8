import { describe, expect, it } from 'vitest';
import { framingProblem } from './request-framing.ts';

const problemOf = (method: string, headers: Record<string, string>, httpVersion = '1.1') =>
  framingProblem({ method, headers, httpVersion });

describe('a request', () => {
  it.each(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'])('that is %s has no body', (method) => {
    expect(problemOf(method, {})).toBeNull();
    expect(problemOf(method, { 'content-length': '0' })).toBeNull();
    expect(problemOf(method, { 'content-length': '1' })).toContain('no body');
    expect(problemOf(method, { 'transfer-encoding': 'chunked' })).toContain('no body');
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('that is %s may have one, with one length', (method) => {
    for (const length of ['0', '7', '1048576']) expect(problemOf(method, { 'content-length': length })).toBeNull();
    for (const encoding of ['chunked', 'Chunked'])
      expect(problemOf(method, { 'transfer-encoding': encoding })).toBeNull();
    for (const length of ['', '07', '00', '+7', '-7', '7,7', '7, 7', '0x7', '7 7', '7e1'])
      expect([length, problemOf(method, { 'content-length': length })]).toEqual([length, expect.any(String)]);
    for (const encoding of ['', 'gzip', 'gzip, chunked', 'chunked, chunked', 'chunked;a=b', 'identity', 'xchunked'])
      expect([encoding, problemOf(method, { 'transfer-encoding': encoding })]).toEqual([encoding, expect.any(String)]);
    expect(problemOf(method, { 'content-length': '7', 'transfer-encoding': 'chunked' })).toContain('not both');
    expect(problemOf(method, { 'transfer-encoding': 'chunked' }, '1.0')).toContain('HTTP/1.1');
  });

  it('may say what becomes of its connection, and name no other headers for that', () => {
    for (const connection of ['keep-alive', 'Keep-Alive', 'close', 'TE, close', 'Upgrade, HTTP2-Settings'])
      expect(problemOf('GET', { connection })).toBeNull();
    for (const connection of ['content-length', 'close, x-user-id', 'authorization', 'keep-alive,', 'close;x'])
      expect([connection, problemOf('GET', { connection })]).toEqual([connection, 'Connection names other headers.']);
  });

  it('may offer HTTP/2, which nobody takes up, and nothing else', () => {
    expect(problemOf('GET', { upgrade: 'h2c', connection: 'Upgrade, HTTP2-Settings' })).toBeNull();
    expect(problemOf('GET', { upgrade: 'websocket', connection: 'Upgrade' })).not.toBeNull();
  });
});
