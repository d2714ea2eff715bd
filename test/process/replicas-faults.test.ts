import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasPostgres } from '../support/database/postgres.ts';
import { programsMissing } from '../support/processes/programs.ts';
import { Cluster, REPLICAS } from '../support/scenes/cluster.ts';
import { eventually } from '../support/time/eventually.ts';
import type { ConnectedGrant } from '../support/users/refreshing.ts';
import { SocketClient } from '../support/users/socket-client.ts';
import { Traffic } from '../support/users/traffic.ts';

const PLENTY = { LIMIT_WAITLIST_PER_MINUTE: '1000000', LIMIT_REQUESTS_PER_MINUTE: '1000000' };
const EACH = Array.from({ length: REPLICAS }, (_, index) => index);
const CLIENTS = 6;

describe.skipIf(!hasPostgres || programsMissing('pgbouncer', 'haproxy'))('three replicas under traffic', () => {
  let cluster: Cluster;
  let user: ConnectedGrant;
  let traffic: Traffic;

  beforeAll(async () => {
    cluster = await Cluster.start('version: 1\nagents: {}\n', PLENTY);
    user = await cluster.connect();
  });

  afterAll(async () => {
    await cluster?.stop();
  });

  beforeEach(async () => {
    await cluster.balanced();
    traffic = new Traffic(cluster.service, user.token, CLIENTS);
  });

  /** Resolves after this number of further successful requests. */
  function goesOn(count = 200): Promise<boolean> {
    const before = traffic.done;
    return eventually(() => traffic.done >= before + count);
  }

  /** Whether a replica itself reports that it is ready. */
  const isReady = async (index: number) => (await cluster.replica(index).call('/health/ready')).status === 200;

  it('kill -9 of one fails only its own requests in progress', async () => {
    const socket = await SocketClient.signedIn(cluster.replica(1).url, user.token);
    await goesOn();
    await cluster.replicas[1]!.kill('SIGKILL');
    await goesOn();
    expect((await socket.ended).code).toBe(1006);
    const again = await SocketClient.signedIn(cluster.service.url, user.token);
    await again.close();
    await cluster.startReplica(1, PLENTY);
    await cluster.balanced();
    expect(await traffic.end(cluster.database)).toEqual([]);
    // At most one for each client: a request to a stopped replica is sent to another one.
    expect(traffic.failures.length).toBeLessThanOrEqual(CLIENTS);
    expect(traffic.failures.filter(({ fromService }) => fromService)).toEqual([]);
    for (const { status, what } of traffic.failures) if (status !== 0) expect(what).toContain('"code":"unavailable"');
  });

  it('a pooler that is killed and restarted: 503 meanwhile, nothing lost, then service continues', async () => {
    await goesOn();
    await cluster.pooler.stop('SIGKILL');
    await eventually(() => traffic.failures.length >= CLIENTS);
    expect((await cluster.replica(0).call('/health/live')).status).toBe(200);
    await cluster.pooler.start();
    await goesOn();
    expect(await traffic.end(cluster.database)).toEqual([]);
    expectUnavailableOnly();
    expect(cluster.replicas.every((replica) => replica.running())).toBe(true);
  });

  it('a failover to a read-only database and back: unready meanwhile, nothing lost, then service continues', async () => {
    await goesOn();
    const name = new URL(cluster.database.url).pathname.slice(1);
    await cluster.database.sql(`alter database ${name} set default_transaction_read_only = on`);
    await cluster.database.sql(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    for (const index of EACH) await eventually(async () => !(await isReady(index)));
    // Sessions of that time remain, and stay read-only.
    await cluster.database.sql(`begin read write; alter database ${name} reset default_transaction_read_only; commit`);
    for (const index of EACH) await eventually(() => isReady(index));
    await goesOn();
    expect(await traffic.end(cluster.database)).toEqual([]);
    expectUnavailableOnly();
  });

  /** Every failed request got a response to retry later, from the service or, while no replica was ready, from the balancer. */
  function expectUnavailableOnly(): void {
    const others = traffic.failures.filter(({ status, what }) => status !== 503 && !(status === 200 && what.includes('"status":"error"')));
    expect(others).toEqual([]);
  }
});
