import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPostgres } from '../support/database/postgres.ts';
import { programsMissing } from '../support/processes/programs.ts';
import { Cluster, REPLICAS } from '../support/scenes/cluster.ts';
import type { ConnectedGrant } from '../support/users/refreshing.ts';
import { SocketClient } from '../support/users/socket-client.ts';
import { Traffic } from '../support/users/traffic.ts';

const SOCKETS = 30;
const PLENTY = { LIMIT_WAITLIST_PER_MINUTE: '1000000', LIMIT_REQUESTS_PER_MINUTE: '1000000', LIMIT_SOCKETS_PER_USER: '100' };

describe.skipIf(!hasPostgres || programsMissing('pgbouncer', 'haproxy'))('a rolling restart under traffic', () => {
  let cluster: Cluster;
  let user: ConnectedGrant;

  beforeAll(async () => {
    cluster = await Cluster.start('version: 1\nagents: {}\n', PLENTY);
    user = await cluster.connect();
    await cluster.balanced();
  });

  afterAll(async () => {
    await cluster?.stop();
  });

  const signIn = (since?: number) => SocketClient.signedIn(cluster.service.url, user.token, since);

  it('fails no request, loses no acknowledged change, and sends each socket the time to reconnect', async () => {
    const traffic = new Traffic(cluster.service, user.token);
    let sockets = await Promise.all(Array.from({ length: SOCKETS }, () => signIn()));
    const delays: number[] = [];
    for (let index = 0; index < REPLICAS; index += 1) {
      const before = traffic.done;
      expect(await cluster.replicas[index]!.kill('SIGTERM')).toMatchObject({ code: 0, signal: null });
      // One more event, which every socket must receive, whichever replica it is connected to.
      const { accountId } = await cluster.connect({ token: user.token });
      sockets = await Promise.all(sockets.map((socket) => comeBack(socket, delays)));
      await Promise.all(sockets.map((socket) => socket.next(({ data }) => data?.account === accountId, 'the event')));
      await cluster.startReplica(index, PLENTY);
      await cluster.balanced();
      expect(traffic.done).toBeGreaterThan(before);
    }
    expect(await traffic.end(cluster.database)).toEqual([]);
    expect(traffic.failures).toEqual([]);
    // Each replica had a share of the sockets. How their reconnects are spread: socket-drain.test.ts.
    expect(delays.length).toBeGreaterThanOrEqual(SOCKETS);
    expect(delays.every((delay) => Number.isInteger(delay) && delay >= 1 && delay <= 30)).toBe(true);
    for (const socket of sockets) await socket.close();
  });

  /** A disconnected socket authenticates again with its last `since`. */
  async function comeBack(socket: SocketClient, delays: number[]): Promise<SocketClient> {
    if (socket.socket.readyState === socket.socket.OPEN) return socket;
    const { code, reason } = await socket.ended;
    expect(code).toBe(1012);
    delays.push(JSON.parse(reason).retry_after);
    return signIn(socket.frames.findLast(({ seq }) => typeof seq === 'number')?.seq);
  }
});
