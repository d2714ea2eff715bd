import { randomBytes } from 'node:crypto';
import { connect as connectTcp } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { startIssuer, type TestIssuer } from '../../support/servers/issuer.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

/** Less than the issuer has to respond. */
const AUTHENTICATION_MS = 3_000;
const SOON_MS = 600_000;
/** Longer than between two checks of all sockets. */
const CHECK_MS = 1_000;
const ALLOWED_ORIGIN = 'https://app.example.com';

let issuer: TestIssuer;
let steward: TestSteward;

beforeAll(async () => {
  issuer = await startIssuer();
  steward = await startSteward({
    ...issuer.env,
    ALLOWED_ORIGINS: ALLOWED_ORIGIN,
    LIMIT_SOCKET_AUTHENTICATION_MS: String(AUTHENTICATION_MS),
  });
});

afterAll(async () => {
  await steward.stop();
  issuer.close();
});

function open(options: { origin?: string } = {}, base = steward): Promise<SocketClient> {
  return SocketClient.open(base.url, options);
}

async function authenticated(user: string, claims: Record<string, unknown> = {}): Promise<SocketClient> {
  return SocketClient.signedIn(steward.url, await issuer.sign(user, claims));
}

/** An expiry that no test reaches by itself, seconds since 1970. */
function soon(): number {
  return Math.floor((steward.clock.now() + SOON_MS) / 1000);
}

/** Sets the time of day forward meanwhile. */
async function pass(milliseconds: number, meanwhile: () => Promise<void>): Promise<void> {
  steward.clock.setBy(milliseconds);
  try {
    await steward.clock.advance(CHECK_MS);
    await meanwhile();
  } finally {
    steward.clock.setBy(-milliseconds);
  }
}

async function connections(): Promise<number> {
  return (await steward.call('/test')).body.connections;
}

/** Status line of the response to an upgrade, and whether the connection was closed. */
async function upgrade(path: string, headers: Record<string, string> = {}): Promise<string> {
  const { port } = new URL(steward.url);
  const socket = connectTcp({ host: '127.0.0.1', port: Number(port) });
  const lines = {
    Host: `127.0.0.1:${port}`,
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
    ...headers,
  };
  socket.write(
    `GET ${path} HTTP/1.1\r\n${Object.entries(lines)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}\r\n`,
  );
  let response = '';
  for await (const chunk of socket) {
    response += chunk;
    if (response.startsWith('HTTP/1.1 101')) break;
  }
  return response.split('\r\n', 1)[0] ?? '';
}

describe('the time that a socket has to authenticate', () => {
  it('does not include the service’s own wait for the issuer', async () => {
    const release = issuer.hold();
    const before = issuer.requests();
    const client = await open();
    const response = client.authenticate(await issuer.sign('ana'));
    await eventually(() => issuer.requests() > before);
    await steward.clock.advance(AUTHENTICATION_MS + CHECK_MS);
    issuer.goDown();
    release();
    expect(await response).toMatchObject({ type: 'error', error: { code: 'unavailable', retryable: true } });
    expect((await client.ended).code).toBe(1013);
    issuer.goUp();
  });

  it('ends for a silent socket with 4401, and not for an authenticated one', async () => {
    // After a failure, the issuer’s keys are fetched again after a while.
    const token = await issuer.sign('ana');
    await eventually(async () => {
      await steward.clock.advance(1_000);
      return (await steward.call('/auth/bank/accounts', { token })).status === 200;
    });
    const silent = await open();
    const speaking = await authenticated('ana');
    await steward.clock.advance(AUTHENTICATION_MS + CHECK_MS);
    expect(await silent.ended).toEqual({ code: 4401, reason: 'authentication expected' });
    speaking.send({ type: 'nonsense', requestId: 'still' });
    expect((await speaking.frame('still')).type).toBe('error');
    await speaking.close();
  });
});

describe('the upgrade at /ws', () => {
  it.each([
    ['no origin', undefined],
    ['an allowed origin', ALLOWED_ORIGIN],
    ['loopback, in development', 'http://localhost:5173'],
  ])('is accepted with %s', async (_what, origin) => {
    const client = await open(origin === undefined ? {} : { origin });
    expect(await client.authenticate(await issuer.sign('ana'))).toMatchObject({ type: 'ready' });
    await client.close();
  });

  it.each([
    'https://evil.example',
    `${ALLOWED_ORIGIN}.evil.example`,
    'http://app.example.com',
    'https://app.example.com:8443',
    `${ALLOWED_ORIGIN}/`,
    'null',
    '',
  ])('is rejected with 403 for the origin "%s"', async (origin) => {
    expect(await upgrade('/ws', { Origin: origin })).toBe('HTTP/1.1 403 Forbidden');
  });

  it('is accepted with the protocol’s name in any case', async () => {
    for (const name of ['WebSocket', 'WEBSOCKET']) expect(await upgrade('/ws', { Upgrade: name })).toMatch(/^HTTP\/1\.1 101 /);
  });

  it('is rejected with 404 on every other path', async () => {
    for (const path of ['/', '/ws/', '/wss', '/test', '/ws%2f', '//ws']) expect(await upgrade(path)).toBe('HTTP/1.1 404 Not Found');
  });

  it('releases its resources when it is rejected', async () => {
    await eventually(async () => (await connections()) === 0);
  });
});

describe('authenticating', () => {
  it('returns ready with protocol, user, revision and expiry, and GET /test counts the socket until it closes', async () => {
    await eventually(async () => (await connections()) === 0);
    const client = await open();
    const exp = soon();
    const ready = await client.authenticate(await issuer.sign('ana', { exp }), { requestId: 'first' });
    expect(ready).toEqual({
      type: 'ready',
      requestId: 'first',
      protocol: 'steward.v1',
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      revision: steward.context.integrations.current.revision,
      expiresAt: new Date(exp * 1000).toISOString(),
      seq: 0,
      maxBytes: 8_388_608,
    });
    const [user] = await steward.sql<{ id: string }>('select id from users where subject = $1', ['ana']);
    expect(ready.uid).toBe(user?.id);
    expect(await connections()).toBe(1);
    await client.close();
    await eventually(async () => (await connections()) === 0);
  });

  it.each([
    ['no token', 'not-a-token', 'invalid_token'],
    ['an expired token', { exp: 1_000_000_000, iat: 999_999_000, auth_time: 999_999_000 }, 'token_expired'],
    ['a token for another audience', { aud: 'another' }, 'invalid_token'],
    ['a token from another issuer', { iss: 'https://evil.example' }, 'invalid_token'],
  ])('with %s gets an error frame and 4401', async (_what, claims, code) => {
    const client = await open();
    const token = typeof claims === 'string' ? claims : await issuer.sign('ana', claims);
    const response = await client.authenticate(token, { requestId: 'bad' });
    expect(response).toEqual({ type: 'error', requestId: 'bad', errorText: expect.any(String), error: { code, retryable: false } });
    expect(JSON.stringify(response)).not.toContain(token);
    expect((await client.ended).code).toBe(4401);
  });

  it.each([
    ['another frame', { type: 'list', requestId: '1' }, /^The first frame must be authenticate/],
    ['a call', { type: 'call', requestId: '1', action: 'mail.search', input: {} }, /^The first frame must be authenticate/],
    ['a chat frame without a token', { type: 'send', requestId: '1', id: 'thread', messages: [{}] }, /ID token in its headers/],
    ['an empty requestId', { type: 'authenticate', requestId: '', token: 'x' }, /^requestId: must not be empty$/],
    ['garbage', '{"type":', /^The frame is not JSON\.$/],
    ['no token', { type: 'authenticate', requestId: '1' }, /^token: is required$/],
    ['a token that is too long', { type: 'authenticate', requestId: '1', token: 'x'.repeat(8193) }, /^token: must have at most 8192/],
    ['an impossible since', { type: 'authenticate', requestId: '1', token: 'x', since: -1 }, /^since: must be at least 0$/],
    ['no requestId', { type: 'authenticate', token: 'x' }, /^requestId: is required$/],
    ['an empty frame', '', /^The frame is not JSON\.$/],
  ])('with %s first gets the reason, and is closed with 4401', async (_what, frame, errorText) => {
    const client = await open();
    client.send(frame);
    expect(await client.ended).toEqual({ code: 4401, reason: 'authentication expected' });
    const requestId = typeof frame === 'object' && 'requestId' in frame ? frame.requestId : '';
    const error = { code: 'invalid_request', retryable: false };
    expect(client.frames).toEqual([{ type: 'error', requestId, errorText: expect.stringMatching(errorText), error }]);
  });

  it('ends with the token: 4401 at its expiry', async () => {
    const client = await authenticated('brief', { exp: soon() });
    await pass(SOON_MS, async () => {
      expect(await client.ended).toEqual({ code: 4401, reason: 'token expired' });
    });
  });

  it('again as the same user extends it', async () => {
    const exp = soon();
    const client = await authenticated('renewing', { exp });
    const again = await client.authenticate(await issuer.sign('renewing'), { requestId: 'again' });
    expect(again.type).toBe('ready');
    expect(Date.parse(again.expiresAt)).toBeGreaterThan(exp * 1000);
    await pass(SOON_MS, async () => {
      client.send({ type: 'nonsense', requestId: 'still' });
      expect(await client.frame('still')).toMatchObject({ type: 'error', error: { code: 'invalid_request' } });
    });
    await client.close();
  });

  it('again while the issuer is down gets an error, and the socket stays', async () => {
    const client = await authenticated('ana');
    issuer.goDown();
    const again = await client.authenticate(await issuer.sign('ana', {}, { kid: 'new-key' }), { requestId: 'again' });
    issuer.goUp();
    expect(again).toMatchObject({ type: 'error', error: { code: 'unavailable', retryable: true } });
    expect((await client.request({ type: 'list' })).type).toBe('result');
    await client.close();
  });

  it('again as another user is rejected: error frame and 4401', async () => {
    const client = await authenticated('ana');
    const response = await client.authenticate(await issuer.sign('ben'), { requestId: 'other' });
    expect(response).toMatchObject({ type: 'error', error: { code: 'forbidden', retryable: false } });
    expect((await client.ended).code).toBe(4401);
  });

  it('an eleventh socket of one user is rejected, another user’s is not, and closing one makes room', async () => {
    const clients = await Promise.all(Array.from({ length: 10 }, () => authenticated('many')));
    const eleventh = await open();
    expect(await eleventh.authenticate(await issuer.sign('many'))).toMatchObject({
      type: 'error',
      error: { code: 'rate_limited', retryable: true, retryAfter: 60 },
    });
    const { code, reason } = await eleventh.ended;
    expect([code, JSON.parse(reason)]).toEqual([4429, { retry_after: 60, message: 'too many sockets' }]);
    await (await authenticated('few')).close();
    await clients[0]?.close();
    const next = await eventually(async () => {
      const client = await open();
      const response = await client.authenticate(await issuer.sign('many'));
      return response.type === 'ready' ? client : undefined;
    });
    await Promise.all([...clients, next].map((client) => client.close()));
  });
});

describe('frames after authentication', () => {
  it.each([
    ['garbage', '{"type":', ''],
    ['an unknown type', JSON.stringify({ type: 'chat', requestId: 'x' }), 'x'],
    ['an array', '[]', ''],
    ['a requestId that is too long', JSON.stringify({ type: 'list', requestId: 'x'.repeat(65) }), ''],
  ])('%s gets an error frame and the socket stays', async (_what, text, requestId) => {
    const client = await authenticated('ana');
    client.send(text);
    const response = await eventually(() => client.frames.find((frame) => frame.type === 'error'));
    expect(response).toEqual({
      type: 'error',
      requestId,
      errorText: expect.any(String),
      error: { code: 'invalid_request', retryable: false },
    });
    expect((await client.authenticate(await issuer.sign('ana'), { requestId: 'after' })).type).toBe('ready');
    await client.close();
  });

  it('a binary frame is closed with 4400', async () => {
    const client = await authenticated('ana');
    client.socket.send(Buffer.from('{}'), { binary: true });
    expect((await client.ended).code).toBe(4400);
  });

  it('before authentication one of 64 KiB is closed with 1009, in any fragments', async () => {
    const whole = await open();
    whole.send('x'.repeat(65_537));
    expect((await whole.ended).code).toBe(1009);
    expect(whole.frames).toEqual([]);
    const inPieces = await open();
    for (let sent = 0; sent < 65; sent += 1) inPieces.socket.send('x'.repeat(1_024), { fin: false });
    expect((await inPieces.ended).code).toBe(1009);
  });

  it('text that is not UTF-8 is closed with 1007', async () => {
    const client = await authenticated('ana');
    client.socket.send(Buffer.from([0xff, 0xfe]), { binary: false });
    expect((await client.ended).code).toBe(1007);
  });

  it('60,000 one-byte fragments close the socket before their end', async () => {
    const client = await authenticated('ana');
    for (let sent = 0; sent < 60_000; sent += 1) client.socket.send('x', { fin: false });
    const { code } = await client.ended;
    expect(code).toBe(1008);
    expect((await steward.call('/health/live')).status).toBe(200);
  });

  it('more than 100 messages a minute are closed with 4429', async () => {
    const client = await authenticated('flood');
    for (let sent = 0; sent < 99; sent += 1) client.send({ type: 'nonsense', requestId: String(sent) });
    await client.frame('98');
    expect(client.socket.readyState).toBe(WebSocket.OPEN);
    client.send({ type: 'nonsense', requestId: 'too-many' });
    const { code, reason } = await client.ended;
    expect([code, JSON.parse(reason)]).toEqual([4429, { retry_after: 60, message: 'too many messages' }]);
  });

  it('a flood before authentication is closed with 4429 or 4401, without affecting others', async () => {
    const bystander = await authenticated('ana');
    const client = await open();
    const token = await issuer.sign('ana', { aud: 'another' });
    for (let sent = 0; sent < 200; sent += 1) client.send({ type: 'authenticate', requestId: '1', token });
    expect([4401, 4429]).toContain((await client.ended).code);
    expect((await bystander.authenticate(await issuer.sign('ana'), { requestId: 'after' })).type).toBe('ready');
    await bystander.close();
  });
});

describe('a stop', () => {
  it('closes the sockets with 1012 and retry_after', async () => {
    const stopping = await startSteward(issuer.env);
    const clients = await Promise.all(Array.from({ length: 5 }, () => open({}, stopping)));
    await Promise.all(clients.map(async (client) => client.authenticate(await issuer.sign('ana'))));
    await stopping.stop();
    const endings = await Promise.all(clients.map((client) => client.ended));
    for (const { code, reason } of endings) {
      expect(code).toBe(1012);
      const { retry_after: retryAfter } = JSON.parse(reason);
      expect(Number.isInteger(retryAfter) && retryAfter >= 1 && retryAfter <= 30).toBe(true);
    }
  });
});
