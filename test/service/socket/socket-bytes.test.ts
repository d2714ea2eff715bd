import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect as connectTo, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Admission } from '../../../src/rate-limit/admission.ts';
import { SocketServer } from '../../../src/socket/socket-server.ts';
import { connect } from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { TestClock } from '../../support/time/test-clock.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

const START = Date.parse('2027-01-01T00:00:00Z');
/** Longer than a close waits for clients that no longer read. */
const CLOSING_MS = 60_000;
const MEGABYTE = 1024 * 1024;

/** A client's frame masked with zeros: 0xa pong, 0x0 and 0x1 text in fragments. */
function frame(opcode: number, payload: Buffer, final = true): Buffer {
  const head = Buffer.alloc(payload.length < 126 ? 6 : 8);
  head[0] = (final ? 0x80 : 0) | opcode;
  head[1] = 0x80 | Math.min(payload.length, 126);
  if (payload.length >= 126) head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}

/** A text frame, masked. */
function masked(text: string): Buffer {
  const payload = Buffer.from(text);
  const head = Buffer.alloc(payload.length < 126 ? 2 : payload.length < 65_536 ? 4 : 10);
  head[0] = 0x81;
  if (payload.length < 126) head[1] = 0x80 | payload.length;
  else if (payload.length < 65_536) {
    head[1] = 0x80 | 126;
    head.writeUInt16BE(payload.length, 2);
  } else {
    head[1] = 0x80 | 127;
    head.writeBigUInt64BE(BigInt(payload.length), 2);
  }
  const mask = randomBytes(4);
  return Buffer.concat([head, mask, payload.map((byte, index) => byte ^ (mask[index % 4] as number))]);
}

/** The client's socket below the WebSocket. */
function raw(client: SocketClient): Socket {
  return Reflect.get(client.socket, '_socket') as Socket;
}

describe('messages of a signed-in client', () => {
  let steward: TestSteward;
  let client: SocketClient;

  beforeAll(async () => {
    steward = await startSteward({ LIMIT_SOCKET_BYTES_PER_MINUTE: String(64 * MEGABYTE) });
    const token = await steward.signIn();
    await connect(steward, { token, email: 'demo@example.com' });
    client = await SocketClient.signedIn(steward.url, token);
  });

  afterAll(async () => {
    await client.close();
    await steward.stop();
  });

  it('may be as large as the largest call that a schema allows', async () => {
    const attachments = [{ name: 'a.txt', text: 'x'.repeat(1_000_000) }];
    const input = { to: ['ana@example.org'], subject: 'Large', body: 'See.', attachments };
    const draft = await client.request({ type: 'call', action: 'mail.draft', input });
    expect(draft).toMatchObject({ type: 'result' });
    // From a client that escapes all but ASCII: six bytes per character.
    const content = 'é'.repeat(1_000_000);
    const text = JSON.stringify({ type: 'call', requestId: 'escaped', action: 'drive.create', input: { name: 'é', content } });
    client.send(text.replaceAll('é', '\\u00e9'));
    expect(await client.frame('escaped')).toMatchObject({ type: 'result', data: { name: 'é' } });
  });

  it('beyond the limit are rejected under their requestId, wherever it is in the frame, and the socket stays open', async () => {
    const { maxBytes } = (await client.frame('1')) as { maxBytes: number };
    expect(maxBytes).toBe(8 * MEGABYTE);
    const padding = 'x'.repeat(maxBytes);
    for (const [requestId, text] of [
      ['first', `{"requestId":"first","type":"call","action":"x","input":{"requestId":"inner","a":"${padding}"}}`],
      ['last', `{"type":"call","input":{"requestId":"inner","a\\"":"${padding}\\\\"},"requestId" : "last"}`],
      ['', `{"type":"call","input":"${padding}"}`],
      ['', `"${padding}"`],
    ] as const) {
      const before = client.frames.length;
      client.send(text);
      const response = await client.next((one) => client.frames.indexOf(one) >= before);
      expect(response).toMatchObject({ type: 'error', requestId, error: { code: 'too_large', retryable: false } });
    }
    expect((await client.request({ type: 'list' })).type).toBe('result');
  });

  it('are handled in the order in which they were sent, whatever their size', async () => {
    const large = { a: 'x'.repeat(1_000_000) };
    const { length } = client.frames;
    // Each reply is sent at once.
    for (const [requestId, more] of [
      ['1st', large],
      ['2nd', {}],
      ['3rd', large],
      ['4th', large],
      ['5th', {}],
    ] as const)
      client.send({ type: 'unknown', requestId, ...more });
    await client.frame('5th');
    expect(client.frames.slice(length).map(({ requestId }) => requestId)).toEqual(['1st', '2nd', '3rd', '4th', '5th']);
  });

  it('are read as they were masked, also what comes in one packet with the upgrade', async () => {
    const { hostname, port } = new URL(steward.url);
    const socket = connectTo(Number(port), hostname);
    const received: Buffer[] = [];
    socket.on('data', (data) => received.push(data));
    const key = randomBytes(16).toString('base64');
    const upgrade = `GET /ws HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`;
    const frames = [
      { type: 'authenticate', requestId: 'sign-in', token: await steward.signIn() },
      { type: 'unknown', requestId: 'large', a: 'x'.repeat(70_000) },
      { type: 'unknown', requestId: 'small' },
    ];
    socket.write(Buffer.concat([Buffer.from(upgrade), ...frames.map((one) => masked(JSON.stringify(one)))]));
    const ids = () =>
      [
        ...Buffer.concat(received)
          .toString('latin1')
          .matchAll(/"requestId":"(sign-in|large|small)"/g),
      ].map(([, id]) => id);
    await eventually(() => ids().length >= 3);
    expect(ids()).toEqual(['sign-in', 'large', 'small']);
    socket.destroy();
  });

  it('are read as they were masked, however they arrive in pieces', async () => {
    const contents = [70_000, 10, 65_536, 65_537, 200].map((bytes, index) => [`piece ${index}`, randomBytes(bytes / 2).toString('hex')]);
    const stream = Buffer.concat(contents.map(([requestId, a]) => masked(JSON.stringify({ type: 'unknown', requestId, a }))));
    const { length } = client.frames;
    const socket = raw(client).setNoDelay(true);
    // The headers in single bytes.
    for (let at = 0, size = 1; at < stream.length; at += size, size = size === 1 && at % 29 !== 28 ? 1 : Math.min(size * 7, 20_000)) {
      socket.write(stream.subarray(at, at + size));
      await new Promise(setImmediate);
    }
    const [last] = contents.at(-1) as [string];
    expect(await client.frame(last)).toMatchObject({ errorText: expect.stringContaining('type') });
    expect(client.frames.slice(length).map(({ requestId }) => requestId)).toEqual(contents.map(([requestId]) => requestId));
  });

  it('are rejected before parsing if they have more elements than any call may have', async () => {
    const before = client.frames.length;
    client.send(`{"type":"call","requestId":"deep","action":"x","input":{"a":${'['.repeat(500_000)}${']'.repeat(500_000)}}}`);
    client.send(`{"type":"call","requestId":"wide","action":"x","input":{"a":[${'{},'.repeat(300_000)}{}]}}`);
    client.send(`{"type":"call","requestId":"long","action":"x.y","input":{"a":"${',[{'.repeat(300_000)}"}}`);
    expect((await client.frame('deep')).error.code).toBe('invalid_request');
    expect((await client.frame('wide')).error.code).toBe('too_large');
    expect((await client.frame('long')).error.code).toBe('not_found');
    expect(client.frames.length).toBe(before + 3);
  });

  it.each([
    ['wide', '{},'.repeat(40_000), 'too_large'],
    ['deep', '['.repeat(70_000), 'invalid_request'],
    ['very wide', '{},'.repeat(1_000_000), 'too_large'],
    ['too large and wide', '{},'.repeat(3_000_000), 'too_large'],
  ])('that are rejected before parsing have their requestId in the error also at their end: %s', async (requestId, items, code) => {
    const { length } = client.frames;
    const end = requestId === 'deep' ? ']'.repeat(items.length) : '{}';
    client.send(`{"type":"call","action":"x.y","input":{"requestId":"inner","a":[${items}${end}]},"requestId":"${requestId}"}`);
    expect(await client.next((frame) => client.frames.indexOf(frame) >= length)).toMatchObject({
      type: 'error',
      requestId,
      error: { code },
    });
  });

  it('far beyond the limit are not read: the socket is closed with 1009', async () => {
    const other = await SocketClient.signedIn(steward.url, await steward.signIn());
    other.send(`{"type":"call","requestId":"x","action":"x.y","input":{"a":"${'x'.repeat(17 * MEGABYTE)}"}}`);
    expect((await other.ended).code).toBe(1009);
  });
});

/** The socket server alone, with the test's clock. */
describe('bytes that are not messages', () => {
  let steward: TestSteward;
  let server: Server;
  let sockets: SocketServer;
  let url: string;
  let clock: TestClock;
  /** The service's end of the last socket. */
  let peer: Socket;

  beforeAll(async () => {
    steward = await startSteward();
  });

  afterAll(() => steward.stop());

  beforeEach(async () => {
    clock = new TestClock({ standsAt: START });
    const { config, logger, feed } = steward.context;
    sockets = new SocketServer({
      admission: new Admission({ latencyMs: 100, clock }),
      authenticate: async (given) => ({
        ...(await steward.context.sessions.authenticate('token' in given ? given.token : undefined)),
        expiresAt: START / 1000 + 3_600,
      }),
      sessionOf: () => undefined,
      isAllowedOrigin: () => true,
      addressOf: () => 'here',
      revision: () => 'r',
      chat: steward.context.assistant,
      handlerOf: () => async () => ({ data: {} }),
      feed,
      limits: { ...config.limits, socketBytesPerMinute: 2 * MEGABYTE, socketPayloadBytes: MEGABYTE },
      logger,
      clock,
    });
    server = createServer().on('upgrade', (request, socket, head) => {
      peer = socket as Socket;
      sockets.upgrade(request, socket, head);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterEach(async () => {
    await Promise.all([sockets.close(), clock.advance(CLOSING_MS)]);
    server.close();
  });

  it('thousands of unsolicited pongs are counted as messages: closed with 4429, authenticated or not', async () => {
    const pongs = Buffer.concat(Array.from({ length: 101 }, () => frame(0xa, Buffer.alloc(0))));
    for (const client of [await SocketClient.open(url), await SocketClient.signedIn(url, await steward.signIn())]) {
      raw(client).write(pongs);
      expect((await client.ended).code).toBe(4429);
    }
  });

  it('a socket that is being closed is not read while it continues to send', async () => {
    const client = await SocketClient.open(url);
    // What is passed on to those who parse it; the rest is read and discarded.
    let passedOn = 0;
    peer.on('data', ({ length }) => {
      passedOn += length;
    });
    const flood = Buffer.concat(Array.from({ length: 100_000 }, () => frame(0xa, Buffer.alloc(0))));
    const carrier = raw(client);
    for (let sent = 0; sent < 40; sent += 1) carrier.write(flood);
    await client.ended;
    await eventually(() => sockets.size === 0);
    // Of 24,000,000.
    expect(passedOn).toBeLessThan(600_000);
  });

  it('of all sockets of a user count together: beyond the limit 4429, and another user has as many', async () => {
    const token = await steward.signIn('ana');
    const piece = `{"type":"list","requestId":"1","padding":"${'x'.repeat(700_000)}"}`;
    const first = await SocketClient.signedIn(url, token);
    first.send(piece);
    first.send(piece);
    await first.next((one) => one.error?.code === 'invalid_request');
    const second = await SocketClient.signedIn(url, token);
    second.send(piece);
    const { code, reason } = await second.ended;
    expect({ code, ...JSON.parse(reason) }).toMatchObject({ code: 4429, message: 'too many bytes' });
    const other = await SocketClient.signedIn(url, await steward.signIn('ben'));
    other.send(piece);
    expect((await other.next((one) => one.type === 'error')).error.code).toBe('invalid_request');
    clock.suspend(60_000);
    const later = await SocketClient.signedIn(url, token);
    later.send(piece);
    expect((await later.next((one) => one.type === 'error')).error.code).toBe('invalid_request');
  });

  it('of a message that never ends are stored as long as a whole request may take', async () => {
    const client = await SocketClient.signedIn(url, await steward.signIn());
    const before = peer.bytesRead;
    for (let sent = 0; sent < 10; sent += 1) client.socket.send('x'.repeat(10_000), { fin: false });
    await eventually(() => peer.bytesRead - before > 100_000);
    clock.suspend(29_900);
    sockets.tick();
    expect(sockets.size).toBe(1);
    clock.suspend(200);
    sockets.tick();
    expect((await client.ended).code).toBe(1008);
  });

  it('after authentication a large message may follow immediately', async () => {
    const client = await SocketClient.open(url);
    client.send({ type: 'authenticate', requestId: 'in', token: await steward.signIn() });
    client.send(`{"type":"list","requestId":"at-once","padding":"${'x'.repeat(900_000)}"}`);
    expect((await client.frame('at-once')).error).toMatchObject({ code: 'invalid_request' });
  });
});
