import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSteward, type TestSteward } from '../../support/steward.ts';

const NEXT = 'GET /test HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
const MB = 1_048_576;

let steward: TestSteward;

beforeAll(async () => {
  steward = await startSteward();
});
afterAll(() => steward.stop());

/** Sends the beginning of a POST that is rejected by its headers. @param more its other headers, and what of its body follows them */
function begin(target: string, more: string, version = '1.1'): Socket {
  const socket = connect(Number(new URL(steward.url).port), '127.0.0.1').setEncoding('utf8');
  socket.write(`POST ${target} HTTP/${version}\r\nHost: ${new URL(steward.url).host}\r\n${more}`);
  return socket;
}

/** Requests that are rejected without reading their bodies, each by another part of the service. */
const REJECTED = [
  ['an unknown address', '/nothing', '', 404],
  ['a missing token', '/agents/mail.search', '', 401],
  ['a malformed token', '/agents/mail.search', 'Authorization: Bearer x\r\n', 401],
  ['a client without a token', '/mcp', '', 401],
  ['another method', '/test', '', 405],
  ['another type', '/waitlist', 'Content-Type: text/plain\r\n', 415],
  ['another origin', '/mcp', 'Origin: https://evil.example\r\n', 403],
  ['a target that is too long', `/x?${'q'.repeat(14_000)}`, '', 414],
] as const;

describe.each(REJECTED)('a response before a body is read, to %s', (_name, target, headers, status) => {
  const first = new RegExp(`^HTTP/1\\.1 ${status} `);

  it.each([
    ['is in the packet of the headers', 'Content-Length: 5\r\n\r\nhello'],
    ['is in that packet in chunks', 'Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n'],
  ])('keeps the connection where the body %s', async (_where, body) => {
    const socket = begin(target, headers + body);
    const [response] = await once(socket, 'data');
    expect(response).toMatch(first);
    expect(response).not.toMatch(/^connection: close/im);
    socket.write(NEXT);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it.each([
    ['Content-Length: 5\r\n\r\n', 'hello'],
    ['Content-Length: 10\r\n\r\nhello', 'world'],
    ['Content-Length: 65537\r\n\r\n', 'x'.repeat(65_537)],
    ['Transfer-Encoding: chunked\r\n\r\n', '5\r\nhello\r\n0\r\n\r\n'],
  ])('closes it and says so where the rest of the body is in a later packet, and serves nothing after it: %j', async (begun, rest) => {
    const socket = begin(target, headers + begun);
    socket.on('error', () => {});
    const [response] = await once(socket, 'data');
    expect(response).toMatch(first);
    expect(response).toMatch(/^connection: close/im);
    socket.write(rest + NEXT);
    const later: unknown[] = [];
    socket.on('data', (data) => later.push(data));
    await once(socket, 'close');
    expect(later).toEqual([]);
  });
});

describe('a response before the end of a body', () => {
  it('reaches a client that sends all of it before it reads', async () => {
    const socket = begin('/nothing', 'Content-Length: 2000000\r\n\r\n');
    // Not read before it is sent: the response waits in the client's buffer.
    socket.pause();
    for (let piece = 0; piece < 20; piece += 1) if (!socket.write('x'.repeat(100_000))) await once(socket, 'drain');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 404 /);
  });

  it('closes the connection of a client that sends without end, after some megabytes', async () => {
    const socket = begin('/nothing', 'Transfer-Encoding: chunked\r\n\r\n');
    socket.on('error', () => {});
    const closed = new Promise((done) => socket.on('close', done));
    const piece = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    let sent = 0;
    const send = () => {
      while (!socket.destroyed && sent < 512 * MB && socket.write(piece)) sent += piece.length;
    };
    socket.on('drain', send);
    send();
    await closed;
    expect(sent).toBeLessThan(64 * MB);
  });

  it('closes the connection of a client that never sends it', async () => {
    expect(await text(begin('/nothing', 'Content-Length: 5\r\n\r\n'))).toMatch(/^HTTP\/1\.1 404 [\s\S]*^connection: close/im);
  });

  it.each([
    ['keeps a connection of HTTP/1.0 that is to be kept', 'Connection: keep-alive\r\nContent-Length: 5\r\n\r\nhello', false],
    ['closes one whose body is incomplete', 'Connection: keep-alive\r\nContent-Length: 5\r\n\r\n', true],
  ])('%s', async (_what, more, isClosed) => {
    const socket = begin('/nothing', more, '1.0');
    const [response] = await once(socket, 'data');
    expect(/^connection: close/im.test(response)).toBe(isClosed);
    if (!isClosed) socket.write(NEXT);
    const rest = await text(socket);
    expect(rest.startsWith('HTTP/1.1 200 ')).toBe(!isClosed);
  });

  it('closes that of a client that waits to be told to send it', async () => {
    const response = await text(begin('/nothing', 'Expect: 100-continue\r\nContent-Length: 5\r\n\r\n'));
    expect(response).toMatch(/^HTTP\/1\.1 404 /m);
    expect(response).toMatch(/^connection: close/im);
  });

  it('serves the next request that is pipelined behind a complete body', async () => {
    const response = await text(begin('/nothing', `Content-Length: 5\r\n\r\nhello${NEXT}`));
    expect(response).toMatch(/^HTTP\/1\.1 404 [\s\S]*HTTP\/1\.1 200 /);
    expect(response.match(/^connection: close/gim)).toHaveLength(1);
  });
});
