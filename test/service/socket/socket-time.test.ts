import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Admission } from '../../../src/rate-limit/admission.ts';
import { SocketServer } from '../../../src/socket/socket-server.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { TestClock } from '../../support/time/test-clock.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

const START = Date.parse('2027-01-01T00:00:00Z');
/** Longer than a close waits for clients that no longer read. */
const CLOSING_MS = 60_000;
const MEGABYTE = 1024 * 1024;

let steward: TestSteward;
let server: Server;
let sockets: SocketServer;
let url: string;
let clock: TestClock;
/** The service's end of the last connection. */
let peer: Socket;
/** The delayed response of `list`. */
let response: () => Promise<unknown>;

beforeAll(async () => {
  steward = await startSteward();
});

afterAll(() => steward.stop());

/** The socket server alone, with the test's clock, authentication and requests; events are real. */
beforeEach(async () => {
  clock = new TestClock({ standsAt: START });
  response = async () => ({});
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
    handlerOf: () => async () => ({ data: await response() }),
    feed,
    limits: { ...config.limits, socketDrainMs: 1, socketMessagesPerMinute: 20 },
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

function pass(seconds: number): void {
  clock.suspend(seconds * 1000);
  sockets.tick();
}

async function signedIn(): Promise<SocketClient> {
  return SocketClient.signedIn(url, await steward.signIn());
}

describe('time', () => {
  it('5 s without a frame: 4401; slightly less: still open', async () => {
    const client = await SocketClient.open(url);
    pass(4.999);
    expect(sockets.size).toBe(1);
    pass(0.001);
    expect(await client.ended).toEqual({ code: 4401, reason: 'authentication expected' });
  });

  it('expiry of the token during a request: 4401, and the request ends', async () => {
    const client = await signedIn();
    response = () => new Promise(() => {});
    client.send({ type: 'list', requestId: 'hangs' });
    await client.request({ type: 'abort', id: 'nothing' });
    pass(3_599);
    // Without the client's pongs, it would have been disconnected meanwhile.
    expect(client.socket.readyState).toBe(client.socket.OPEN);
    pass(1);
    expect(await client.ended).toEqual({ code: 4401, reason: 'token expired' });
  });

  it('a time of day that is set forward ends no socket, and renews no limit', async () => {
    const [client, waiting] = [await signedIn(), await SocketClient.open(url)];
    for (let count = 0; count < 19; count += 1) await client.request({ type: 'list' });
    clock.setBy(59 * 60_000);
    sockets.tick();
    expect((await waiting.authenticate(await steward.signIn())).type).toBe('ready');
    client.send({ type: 'list', requestId: 'too many' });
    expect((await client.ended).code).toBe(4429);
    await waiting.close();
  });

  it('20 messages in a minute, and 20 in the next', async () => {
    const client = await signedIn();
    for (let count = 0; count < 19; count += 1) expect((await client.request({ type: 'list' })).type).toBe('result');
    pass(60);
    for (let count = 0; count < 20; count += 1) expect((await client.request({ type: 'list' })).type).toBe('result');
    client.send({ type: 'list', requestId: 'too many' });
    expect((await client.ended).code).toBe(4429);
  });

  it('pings count as messages', async () => {
    const client = await signedIn();
    for (let count = 0; count < 20; count += 1) client.socket.ping();
    expect((await client.ended).code).toBe(4429);
  });

  it('a client without pongs is disconnected after two pings, one with pongs stays', async () => {
    const deaf = new SocketClient(url);
    await once(deaf.socket, 'open');
    await deaf.authenticate(await steward.signIn());
    const alive = await signedIn();
    let heard = 0;
    alive.socket.on('ping', () => {
      heard += 1;
    });
    // It no longer reads, and so sends no pongs.
    deaf.socket.pause();
    for (let rounds = 1; rounds <= 3; rounds += 1) {
      pass(30);
      if (rounds < 3) {
        await eventually(() => heard === rounds);
        // The server receives its pong before it responds to the next frame.
        await alive.request({ type: 'list' });
        expect(sockets.size).toBe(2);
      }
    }
    await eventually(() => sockets.size === 1);
    expect(alive.socket.readyState).toBe(alive.socket.OPEN);
    deaf.socket.terminate();
    await alive.close();
  });

  it('a long request is reported every 5 s', async () => {
    const client = await signedIn();
    const release = Promise.withResolvers<unknown>();
    response = () => release.promise;
    client.send({ type: 'list', requestId: 'long' });
    await client.request({ type: 'abort', id: 'nothing' });
    for (const seconds of [4.999, 0.001, 4.999, 0.001, 5]) pass(seconds);
    release.resolve({});
    await client.frame('long');
    expect(client.frames.filter(({ type }) => type === 'progress').map(({ ms }) => ms)).toEqual([5_000, 10_000, 15_000]);
  });
});

describe('a slow reader', () => {
  /** Stops reading, and requests a megabyte repeatedly until the server reads no more. @returns the number of requests */
  async function asksAndDoesNotRead(client: SocketClient): Promise<number> {
    const megabyte = 'x'.repeat(MEGABYTE);
    let answered = 0;
    response = async () => {
      answered += 1;
      return megabyte;
    };
    client.socket.pause();
    for (let asked = 1; asked < 18; asked += 1) {
      client.send({ type: 'list', requestId: `big-${asked}` });
      await eventually(() => answered === asked || peer.isPaused());
      if (answered < asked) return asked;
    }
    throw new Error('the server took every question');
  }

  it('with more than 4 MB waiting is cut off', async () => {
    const chunk = 'x'.repeat(6 * MEGABYTE);
    const client = await signedIn();
    client.socket.pause();
    response = async () => chunk;
    for (let count = 0; count < 4; count += 1) client.send({ type: 'list', requestId: `big-${count}` });
    await eventually(() => sockets.size === 0);
    client.socket.terminate();
  });

  it('with more than 1 MB waiting for 15 s is cut off, and not before', async () => {
    const client = await signedIn();
    await asksAndDoesNotRead(client);
    pass(14.999);
    expect(sockets.size).toBe(1);
    pass(0.001);
    await eventually(() => sockets.size === 0);
    client.socket.terminate();
  });

  it('that catches up stays open, and receives the pending events', async () => {
    const client = await signedIn();
    const asked = await asksAndDoesNotRead(client);
    const [{ id } = { id: '' }] = await steward.sql<{ id: string }>('select id from users');
    const { db, events } = steward.context;
    for (const name of ['one', 'two', 'three']) await db.transaction((tx) => events.record(tx, id, name as 'resync', {}));
    client.socket.resume();
    await eventually(() => {
      pass(0.01);
      return client.events.some(({ event }) => event === 'three');
    });
    for (let count = 1; count <= asked; count += 1) expect((await client.frame(`big-${count}`)).data).toHaveLength(MEGABYTE);
    expect(client.events.map(({ event }) => event)).toEqual(['one', 'two', 'three']);
    response = async () => 'small';
    expect((await client.request({ type: 'list' })).data).toBe('small');
    await client.close();
  });
});
