import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSteward, type TestSteward } from '../../support/steward.ts';

let steward: TestSteward;

beforeAll(async () => {
  steward = await startSteward();
});
afterAll(() => steward.stop());

/** Begins a request that is rejected by its headers. */
function begin(framing: string): Socket {
  const socket = connect(Number(new URL(steward.url).port), '127.0.0.1').setEncoding('utf8');
  socket.write(`POST /agents/mail.search HTTP/1.1\r\nHost: ${new URL(steward.url).host}\r\n${framing}\r\n\r\n`);
  return socket;
}

describe('a response before the end of a body', () => {
  it('that is small keeps the connection', async () => {
    const socket = begin('Content-Length: 2');
    const [first] = await once(socket, 'data');
    expect(first).toMatch(/^HTTP\/1\.1 401 /);
    expect(first).not.toMatch(/^connection: close/im);
    socket.write('{}GET /test HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it.each(['Content-Length: 65537', 'Transfer-Encoding: chunked'])('that may be large (%s) closes it, and says so', async (framing) => {
    const response = await text(begin(framing));
    expect(response).toMatch(/^HTTP\/1\.1 401 /);
    expect(response).toMatch(/^connection: close/im);
  });
});
