import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPostgres } from '../support/database/postgres.ts';
import { type ReplicaPair, startReplicaPair } from '../support/scenes/replica-pair.ts';
import { eventually } from '../support/time/eventually.ts';
import { SocketClient } from '../support/users/socket-client.ts';

const RECORD = `with head as (update users set event_seq = event_seq + 1 where id = $1 returning event_seq)
  insert into events (user_id, seq, event, data) select $1, event_seq, $2, '{}' from head`;

describe.skipIf(!hasPostgres)('two processes on one database', () => {
  let pair: ReplicaPair;
  let database: ReplicaPair['database'];
  let issuer: ReplicaPair['issuer'];
  let replicas: ReplicaPair['replicas'];

  beforeAll(async () => {
    pair = await startReplicaPair();
    ({ database, issuer, replicas } = pair);
  });

  afterAll(() => pair?.stop());

  /** A user with a socket on each replica. */
  async function everywhere(name: string): Promise<{ userId: string; clients: [SocketClient, SocketClient] }> {
    const token = await issuer.sign(name);
    const [first, second] = await Promise.all(replicas.map((replica) => SocketClient.open(replica.url)));
    const { uid } = await first!.authenticate(token);
    expect((await second!.authenticate(token)).uid).toBe(uid);
    return { userId: uid, clients: [first!, second!] };
  }

  it('an event recorded by one reaches the sockets of both', async () => {
    const { clients } = await everywhere('ana');
    const token = await issuer.sign('ana');
    const linked = await replicas[0].call('/sandbox/bank/sandbox/public_token/create', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: 'sandbox', secret: 'sandbox', institution_id: 'ins_109508', initial_products: ['transactions'] }),
    });
    await replicas[0].call('/auth/bank/set_access_token', { token, form: { public_token: linked.body.public_token } });
    const [first, second] = await Promise.all(clients.map((client) => client.event('account.connected')));
    expect(first).toEqual(second);
  });

  it('many concurrent writers: every client gets every event once and in order', async () => {
    const people = await Promise.all(['u1', 'u2', 'u3'].map(everywhere));
    const pool = new pg.Pool({ connectionString: database.url, max: 8 });
    const perUser = 40;
    const record = async ({ userId }: { userId: string }, index: number) => {
      const client = await pool.connect();
      await client.query('begin');
      await client.query(RECORD, [userId, `n${index}`]);
      // Every fifth is rolled back, which leaves gaps in the ids.
      await client.query(index % 5 === 4 ? 'rollback' : 'commit');
      client.release();
    };
    await Promise.all(Array.from({ length: perUser }, (_, index) => people.map((one) => record(one, index))).flat());
    await pool.end();
    const expected = Array.from({ length: (perUser * 4) / 5 }, (_, index) => index + 1);
    for (const { clients } of people) {
      for (const client of clients) {
        await eventually(() => client.events.length >= expected.length);
        expect(client.events.map(({ seq }) => seq)).toEqual(expected);
      }
    }
  });

  it('a transaction that commits after later ones of other users is not lost', async () => {
    const slow = await everywhere('slow');
    const quick = await everywhere('quick');
    const open = new pg.Client({ connectionString: database.url });
    await open.connect();
    await open.query('begin');
    await open.query(RECORD, [slow.userId, 'late']);
    await database.sql(RECORD, [quick.userId, 'early']);
    // Both replicas have read past the id of the open transaction.
    await Promise.all(quick.clients.map((client) => client.event('early')));
    await open.query('commit');
    await open.end();
    await Promise.all(slow.clients.map((client) => client.event('late')));
  });

  it('a client that changes to the other replica with since misses nothing', async () => {
    const { userId, clients } = await everywhere('moving');
    await database.sql(RECORD, [userId, 'one']);
    await clients[0].event('one');
    clients[0].socket.terminate();
    await database.sql(RECORD, [userId, 'two']);
    const moved = await SocketClient.signedIn(replicas[1].url, await issuer.sign('moving'), 1);
    await database.sql(RECORD, [userId, 'three']);
    await moved.event('three');
    expect(moved.events.map(({ event }) => event)).toEqual(['two', 'three']);
  });

  it('events continue after the database has closed every connection', async () => {
    const { userId, clients } = await everywhere('cut');
    await database.sql(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    await database.sql(RECORD, [userId, 'after']);
    await Promise.all(clients.map((client) => client.event('after')));
  });
});
