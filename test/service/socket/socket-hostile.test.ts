import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fc } from '../../support/runner/property.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

/** However slow the machine is, no socket is closed for not signing in. */
const PATIENT = { LIMIT_SOCKET_AUTHENTICATION_MS: '600000' };

let steward: TestSteward;
let token: string;

beforeAll(async () => {
  steward = await startSteward({ LIMIT_SOCKET_MESSAGES_PER_MINUTE: '1000000', LIMIT_SOCKET_CALLS: '1000', ...PATIENT, MODELS: '[]' });
  token = await steward.signIn();
});

afterAll(async () => {
  await steward.stop();
});

const TYPES = ['authenticate', 'list', 'call', 'approvals', 'approve', 'approval_result', 'abort', 'send', 'resume', 'nonsense'];
const value = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.uuid(),
  fc.jsonValue(),
);
const KEYS = ['token', 'since', 'action', 'account', 'input', 'idempotencyKey', 'approvalId', 'approved', 'id', 'headers', '__proto__'];
const actions = ['mail.search', 'mail.send', 'bank.balances', 'constructor', '__proto__', 'toString'];
/** Frames that are almost valid. */
const frames = fc
  .record({
    type: fc.oneof(fc.constantFrom(...TYPES), value),
    requestId: fc.oneof(fc.string({ minLength: 1, maxLength: 64 }), value),
    rest: fc.dictionary(fc.constantFrom(...KEYS), fc.oneof(value, fc.constantFrom(...actions))),
  })
  .map(({ type, requestId, rest }) => JSON.stringify({ ...rest, type, requestId }));
const texts = fc.oneof(frames, frames, fc.string(), fc.json());

async function isAlive(): Promise<boolean> {
  return (await steward.call('/health/live')).status === 200;
}

describe('hostile frames', () => {
  it('as the first: closed with 4401 after an error frame only', async () => {
    const property = fc.asyncProperty(texts, async (text) => {
      const client = await SocketClient.open(steward.url);
      client.send(text);
      expect((await client.ended).code).toBe(4401);
      expect(client.frames.every(({ type, error }) => type === 'error' && /^invalid_(token|request)$/.test(error.code))).toBe(true);
    });
    await fc.assert(property, { numRuns: 200 });
    expect(await isAlive()).toBe(true);
  });

  it('after authentication: each gets frames of the protocol, or the socket is closed with 4401', async () => {
    const property = fc.asyncProperty(fc.array(texts, { minLength: 1, maxLength: 20 }), async (batch) => {
      const client = await SocketClient.signedIn(steward.url, token);
      for (const text of batch) client.send(text);
      client.send({ type: 'list', requestId: 'the-end-of-the-batch' });
      const outcome = await Promise.race([client.frame('the-end-of-the-batch').catch(() => undefined), client.ended]);
      if (outcome !== undefined && 'code' in outcome) expect(outcome.code).toBe(4401);
      for (const frame of client.frames) {
        expect(['ready', 'result', 'error', 'progress', 'event']).toContain(frame.type);
        expect(typeof frame.requestId).toBe('string');
        if (frame.type === 'error') {
          expect(frame.error.code).toMatch(/^(invalid_request|invalid_token|not_found|assistant_disabled|not_configured|forbidden)$/);
          expect(frame.errorText).toMatch(/\S/);
        }
      }
      await client.close();
    });
    await fc.assert(property, { numRuns: 60 });
    expect(await isAlive()).toBe(true);
    expect(steward.logs.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
  });
});

it('a request id that is half of a character isn’t sent back', async () => {
  const client = await SocketClient.signedIn(steward.url, token);
  for (const type of ['list', 'unknown']) {
    client.send(`{"type":"${type}","requestId":"\\ud83d"}`);
    const error = await client.next((frame) => frame.type === 'error');
    expect(error).toMatchObject({ requestId: '', error: { code: 'invalid_request' } });
  }
  await client.close();
});

describe('hostile bytes', () => {
  /** A raw handshake, so that what follows need not be WebSocket. */
  async function shakeHands(): Promise<Socket> {
    const socket = connectTcp(Number(new URL(steward.url).port), '127.0.0.1');
    const lines = ['GET /ws HTTP/1.1', 'Host: x', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
    socket.write(`${[...lines, 'Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg=='].join('\r\n')}\r\n\r\n`);
    await once(socket, 'data');
    return socket;
  }

  it('close only their own connection', async () => {
    const property = fc.asyncProperty(fc.uint8Array({ minLength: 14, maxLength: 200 }), async (bytes) => {
      const socket = await shakeHands();
      socket.on('error', () => {});
      socket.end(bytes);
      socket.resume();
      await once(socket, 'close');
    });
    await fc.assert(property, { numRuns: 100 });
    expect(await isAlive()).toBe(true);
  });

  it('one frame in thousands of tiny packets closes the connection instead of being buffered', async () => {
    const socket = await shakeHands();
    socket.setNoDelay(true).on('error', () => {});
    const closed = once(socket, 'close');
    // A masked text frame of 65,000 bytes, sent byte by byte.
    socket.write(Buffer.from([0x81, 0xfe, 65_000 >> 8, 65_000 & 0xff, 0, 0, 0, 0]));
    const writing = (async () => {
      for (let sent = 0; sent < 65_000 && !socket.destroyed; sent += 1) {
        socket.write('x');
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    await Promise.race([closed, writing]);
    socket.destroy();
    await closed;
    const response = Buffer.concat(chunks);
    // A close frame: too many pieces.
    expect(response.readUInt16BE(2)).toBe(1008);
  });
});
