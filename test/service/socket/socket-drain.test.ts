import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock/clock.ts';
import { ExecutorScene } from '../../support/scenes/executor-scene.ts';
import { advancing } from '../../support/time/advancing.ts';
import { eventually } from '../../support/time/eventually.ts';
import { TestClock } from '../../support/time/test-clock.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

const SOCKETS = 1_000;

let scene: ExecutorScene;

beforeEach(async () => {
  scene = await ExecutorScene.start({ LIMIT_SOCKETS_PER_USER: String(SOCKETS), LIMIT_SOCKET_DRAIN_MS: '600000' });
});

afterEach(() => scene.provider.stop());

async function signedIn(token: string, count: number): Promise<SocketClient[]> {
  const clients: SocketClient[] = [];
  for (let opened = 0; opened < count; opened += 50) {
    clients.push(
      ...(await Promise.all(Array.from({ length: Math.min(50, count - opened) }, () => SocketClient.signedIn(scene.steward.url, token)))),
    );
  }
  return clients;
}

function retryAfter(reason: string): number {
  return JSON.parse(reason).retry_after;
}

describe('a stop with 1,000 sockets', () => {
  it('responds to every request in progress, rejects new ones, and spreads the reconnects', async () => {
    const user = await scene.connect();
    const clients = await signedIn(user.token, SOCKETS);
    const release = Promise.withResolvers<void>();
    const all = Promise.withResolvers<void>();
    let begun = 0;
    scene.work = async (input) => {
      begun += 1;
      if (begun === SOCKETS / 2) all.resolve();
      await release.promise;
      return input;
    };
    const [busy, idle] = [clients.slice(0, SOCKETS / 2), clients.slice(SOCKETS / 2)];
    busy.forEach((client, index) => {
      client.send({ type: 'call', requestId: 'flying', action: 'test.run', input: { index } });
    });
    await all.promise;
    const stopped = scene.steward.stop();
    // A client without requests is closed immediately.
    const early = await Promise.all(idle.map(({ ended }) => ended));
    const late = await busy[0]!.request({ type: 'list' });
    expect(late).toMatchObject({ type: 'error', error: { code: 'unavailable', retryable: true } });
    release.resolve();
    const responses = await Promise.all(busy.map((client) => client.frame('flying')));
    responses.forEach((response, index) => {
      expect(response).toMatchObject({ type: 'result', data: { index } });
    });
    const endings = [...early, ...(await Promise.all(busy.map(({ ended }) => ended)))];
    await stopped;
    expect(endings.map(({ code }) => code)).toEqual(clients.map(() => 1012));
    const delays = endings.map(({ reason }) => retryAfter(reason));
    expect(delays.every((delay) => Number.isInteger(delay) && delay >= 1 && delay <= 30)).toBe(true);
    expect(new Set(delays).size).toBeGreaterThan(20);
  });
});

describe('a stop', () => {
  it('ends a long read with unavailable, to be retried on another server', async () => {
    await scene.steward.stop();
    // It stands: the response has a second by the clock to be sent, however long the machine takes.
    const clock = new TestClock({ standsAt: systemClock.now() });
    scene.steward = await scene.replica({ LIMIT_SOCKET_DRAIN_MS: '1000' }, { clock });
    const user = await scene.connect();
    const client = await SocketClient.signedIn(scene.steward.url, user.token);
    const begun = Promise.withResolvers<void>();
    let aborted = false;
    scene.work = (_input, { signal }) => {
      signal.addEventListener('abort', () => {
        aborted = true;
      });
      begun.resolve();
      return new Promise(() => {});
    };
    client.send({ type: 'call', requestId: 'endless', action: 'test.run' });
    await begun.promise;
    const stopped = scene.steward.stop();
    await eventually(async () => {
      await clock.advance(1_000);
      return aborted;
    });
    expect(await client.frame('endless')).toMatchObject({ type: 'error', error: { code: 'unavailable', retryable: true } });
    await advancing(clock, stopped);
    expect((await client.ended).code).toBe(1012);
  });

  it('waits for a change that has begun, and responds to it', async () => {
    const user = await scene.connect();
    const client = await SocketClient.signedIn(scene.steward.url, user.token);
    const asked = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    scene.provider.on('/api/gmail/v1/users/me/messages/send', async (response) => {
      asked.resolve();
      await release.promise;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ id: 'm9' }));
    });
    client.send({ type: 'call', requestId: 'sending', action: 'test.send', input: { to: ['a@example.com'] } });
    await asked.promise;
    const stopped = scene.steward.stop();
    release.resolve();
    expect(await client.frame('sending')).toMatchObject({ type: 'result', data: { id: 'm9' } });
    await stopped;
  });
});
