import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { Admission } from '../../../src/rate-limit/admission.ts';
import { SocketServer } from '../../../src/socket/socket-server.ts';
import { startIssuer } from '../../support/servers/issuer.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { TestClock } from '../../support/time/test-clock.ts';
import { type Ending, SocketClient } from '../../support/users/socket-client.ts';

const START = Date.parse('2027-01-01T00:00:00Z');
/** Longer than a close waits for clients that no longer read. */
const CLOSING_MS = 60_000;
const MINUTE_MS = 60_000;
const MEGABYTE = 1024 * 1024;

/** Opens a socket as a trusted proxy would for `address`. @returns 101, or the status of the rejection with its Retry-After */
async function upgrade(base: string, address: string): Promise<{ status: number; retryAfter?: string | undefined; socket: WebSocket }> {
  const socket = new WebSocket(`${base.replace('http', 'ws')}/ws`, { headers: { 'x-forwarded-for': address } });
  socket.on('error', () => {});
  const rejected = once(socket, 'unexpected-response') as Promise<[unknown, IncomingMessage]>;
  const opened = once(socket, 'open');
  const rejection = await Promise.race([opened.then(() => undefined), rejected.then(([, response]) => response)]);
  rejected.catch(() => {});
  opened.catch(() => {});
  return { status: rejection?.statusCode ?? 101, retryAfter: rejection?.headers['retry-after'], socket };
}

async function codeOf(socket: WebSocket): Promise<number> {
  const [code] = await once(socket, 'close');
  return code;
}

describe('messages of a user per minute', () => {
  let steward: TestSteward;

  /** 10 for a user: 5 on each of 2 sockets. */
  beforeAll(async () => {
    steward = await startSteward({ LIMIT_SOCKET_MESSAGES_PER_MINUTE: '5', LIMIT_SOCKETS_PER_USER: '2' });
  });

  afterEach(() => steward.clock.advance(MINUTE_MS));

  afterAll(() => steward.stop());

  it('are counted across sockets, and separately for another user', async () => {
    const token = await steward.signIn('ana');
    for (let opened = 0; opened < 2; opened += 1) {
      const client = await SocketClient.signedIn(steward.url, token);
      for (let count = 0; count < 3; count += 1) expect((await client.request({ type: 'approvals' })).type).toBe('result');
      await client.close();
    }
    const third = await SocketClient.signedIn(steward.url, token);
    expect((await third.request({ type: 'approvals' })).type).toBe('result');
    third.send({ type: 'approvals', requestId: 'eleventh' });
    const { code, reason } = await third.ended;
    expect({ code, ...JSON.parse(reason) }).toMatchObject({ code: 4429, message: 'too many messages' });
    const other = await SocketClient.signedIn(steward.url, await steward.signIn('ben'));
    expect((await other.request({ type: 'approvals' })).type).toBe('result');
    await other.close();
  });

  it('include those that are sent before the response to authentication', async () => {
    const token = await steward.signIn('ana');
    const burst = async (): Promise<SocketClient> => {
      const client = await SocketClient.open(steward.url);
      client.send({ type: 'authenticate', requestId: '1', token });
      for (let count = 0; count < 4; count += 1) client.send({ type: 'approvals', requestId: `early-${count}` });
      return client;
    };
    for (let opened = 0; opened < 2; opened += 1) {
      const client = await burst();
      expect((await client.frame('early-3')).type).toBe('result');
      await client.close();
    }
    const third = await burst();
    expect((await third.ended).code).toBe(4429);
    expect(third.frames).toEqual([]);
  });
});

describe('upgrades per minute from one address', () => {
  let steward: TestSteward;

  beforeAll(async () => {
    steward = await startSteward({ LIMIT_SOCKET_CONNECTS_PER_MINUTE: '2', TRUST_PROXY: '1' });
  });

  afterEach(() => steward.clock.advance(MINUTE_MS));

  afterAll(() => steward.stop());

  it('beyond the limit are 429 with Retry-After; other addresses are accepted', async () => {
    const responses = [];
    for (const address of ['203.0.113.1', '198.51.100.7, 203.0.113.1', '203.0.113.1', '203.0.113.2']) {
      responses.push(await upgrade(steward.url, address));
    }
    expect(responses.map(({ status }) => status)).toEqual([101, 101, 429, 101]);
    const seconds = Number(responses[2]?.retryAfter);
    expect(seconds >= 1 && seconds <= 60).toBe(true);
    for (const { socket } of responses) socket.terminate();
  });

  it('are counted for an IPv6 network of /64, and for the peer if no proxy is trusted', async () => {
    const networks = ['2001:db8:1:1::1', '2001:db8:1:1::2', '2001:db8:1:1:ffff::3', '2001:db8:1:2::1'];
    const responses = [];
    for (const address of networks) responses.push(await upgrade(steward.url, address));
    expect(responses.map(({ status }) => status)).toEqual([101, 101, 429, 101]);
    const direct = await startSteward({ LIMIT_SOCKET_CONNECTS_PER_MINUTE: '2', TRUST_PROXY: 'false' });
    for (const address of networks) responses.push(await upgrade(direct.url, address));
    expect(responses.slice(4).map(({ status }) => status)).toEqual([101, 101, 429, 429]);
    for (const { socket } of responses) socket.terminate();
    await direct.stop();
  });
});

describe('unauthenticated sockets', () => {
  it('are limited to 50 for an address: the oldest is closed, without effect on other addresses', async () => {
    const steward = await startSteward({ TRUST_PROXY: '1', LIMIT_SOCKET_AUTHENTICATION_MS: '3600000' });
    const elsewhere = await upgrade(steward.url, '203.0.113.9');
    const silent: WebSocket[] = [];
    for (let opened = 0; opened < 50; opened += 1) silent.push((await upgrade(steward.url, '203.0.113.1')).socket);
    expect((await steward.call('/test')).body.connections).toBe(51);
    const gone = Promise.all(silent.slice(0, 2).map(codeOf));
    const late = [(await upgrade(steward.url, '203.0.113.1')).socket, (await upgrade(steward.url, '203.0.113.1')).socket];
    expect(await gone).toEqual([1013, 1013]);
    expect([...silent.slice(2), ...late, elsewhere.socket].every(({ readyState }) => readyState === WebSocket.OPEN)).toBe(true);
    for (const socket of [...silent, ...late, elsewhere.socket]) socket.terminate();
    await steward.stop();
  });

  it('at the limit: a silent one is closed, not one whose token is being verified', async () => {
    const issuer = await startIssuer();
    const steward = await startSteward({ ...issuer.env, LIMIT_SOCKETS_WAITING: '3', LIMIT_SOCKET_AUTHENTICATION_MS: '3600000' });
    const release = issuer.hold();
    const checked = await SocketClient.open(steward.url);
    const ready = checked.authenticate(await issuer.sign('ana'));
    const silent: SocketClient[] = [];
    for (let opened = 0; opened < 4; opened += 1) silent.push(await SocketClient.open(steward.url));
    const endings = await Promise.all(silent.slice(0, 2).map(({ ended }): Promise<Ending> => ended));
    expect(endings.map(({ code }) => code)).toEqual([1013, 1013]);
    release();
    expect((await ready).type).toBe('ready');
    expect(silent.slice(2).every(({ socket }) => socket.readyState === WebSocket.OPEN)).toBe(true);
    for (const { socket } of [checked, ...silent]) socket.terminate();
    await steward.stop();
    issuer.close();
  });
});

/** The socket server alone, with the test's clock. */
describe('a client that reads large responses slowly', () => {
  const RESPONSES = 30;
  let steward: TestSteward;
  let server: Server;
  let sockets: SocketServer;
  let client: SocketClient;
  /** The service's end. */
  let peer: Socket;
  let clock: TestClock;

  beforeAll(async () => {
    steward = await startSteward();
  });

  afterAll(() => steward.stop());

  beforeEach(async () => {
    clock = new TestClock({ standsAt: START });
    let begun = 0;
    const all = Promise.withResolvers<void>();
    const { config, logger, feed } = steward.context;
    const megabyte = 'x'.repeat(MEGABYTE);
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
      handlerOf: () => async () => {
        begun += 1;
        if (begun === RESPONSES) all.resolve();
        await all.promise;
        return { data: megabyte };
      },
      feed,
      limits: { ...config.limits, socketCalls: RESPONSES },
      logger,
      clock,
    });
    server = createServer().on('upgrade', (request, socket, head) => {
      peer = socket as Socket;
      sockets.upgrade(request, socket, head);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = await SocketClient.signedIn(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, await steward.signIn());
    for (let asked = 0; asked < RESPONSES; asked += 1) client.send({ type: 'list', requestId: `big-${asked}` });
    client.socket.pause();
    await all.promise;
  });

  afterEach(async () => {
    client.socket.terminate();
    await Promise.all([sockets.close(), clock.advance(CLOSING_MS)]);
    server.close();
  });

  function pass(seconds: number): void {
    clock.suspend(seconds * 1000);
    sockets.tick();
  }

  function results(): number {
    return client.frames.filter(({ type }) => type === 'result').length;
  }

  /** Reads this number of further messages. */
  async function take(count: number): Promise<void> {
    const goal = Math.min(RESPONSES, results() + count);
    client.socket.resume();
    await client.next(() => results() >= goal);
    client.socket.pause();
  }

  /** Bytes that the service has sent. */
  function written(): number {
    return peer.bytesWritten - peer.writableLength;
  }

  it('receives all concurrent responses in the end', async () => {
    expect(sockets.size).toBe(1);
    await take(RESPONSES);
    expect(results()).toBe(RESPONSES);
  });

  it('stays connected while it reads something every 15 s, although its pongs can’t be read', async () => {
    for (let rounds = 0; rounds < 4; rounds += 1) {
      const before = written();
      await take(3);
      await eventually(() => written() > before);
      pass(0.1);
      pass(14.8);
    }
    expect(sockets.size).toBe(1);
    await take(RESPONSES);
    expect(results()).toBe(RESPONSES);
    pass(30);
    pass(0.5);
    client.socket.resume();
    expect((await client.request({ type: 'abort', id: 'none' })).data).toEqual({ aborted: false });
  });

  it('is disconnected 15 s after its last read', async () => {
    await take(3);
    // Bytes accepted by its kernel count, too.
    pass(1);
    pass(14.9);
    expect(sockets.size).toBe(1);
    pass(15);
    await eventually(() => sockets.size === 0);
  });

  it('receives its queued responses before the service stops', async () => {
    const closed = sockets.close();
    client.socket.resume();
    expect(JSON.parse((await client.ended).reason)).toHaveProperty('retry_after');
    await closed;
    expect(results()).toBe(RESPONSES);
  });
});
