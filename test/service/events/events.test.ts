import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteExpiredRows } from '../../../src/database/retention.ts';
import { connect, linkBank, newName, outcome } from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

let folder: string;
let steward: TestSteward;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'steward-events-'));
  copyFileSync('integrations.yaml', join(folder, 'integrations.yaml'));
  steward = await startSteward({ INTEGRATIONS_FILE: join(folder, 'integrations.yaml') });
});

afterAll(async () => {
  await steward.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Person {
  token: string;
  userId: string;
  client: SocketClient;
}

async function person(): Promise<Person> {
  const token = await steward.signIn(newName());
  const client = await SocketClient.open(steward.url);
  const { uid } = await client.authenticate(token);
  return { token, userId: uid, client };
}

/** Records events as the service's parts do, under names of its own. */
async function record(userId: string, ...names: string[]): Promise<void> {
  const { db, events } = steward.context;
  for (const name of names)
    await db.transaction((tx) => events.record(tx, userId, name as 'resync', { name } as object as Record<string, never>));
}

function names(client: SocketClient): string[] {
  return client.events.map(({ event }) => event);
}

function numbers(client: SocketClient): number[] {
  return client.events.map(({ seq }) => seq);
}

describe('an event', () => {
  it('reaches every socket of its user only, numbered from 1', async () => {
    const ana = await person();
    const ben = await person();
    const second = await SocketClient.signedIn(steward.url, ana.token);
    await record(ana.userId, 'one', 'two');
    await record(ben.userId, 'other');
    for (const client of [ana.client, second]) {
      await client.event('two');
      expect(client.events).toEqual([
        { type: 'event', requestId: '', seq: 1, at: expect.any(String), event: 'one', data: { name: 'one' } },
        { type: 'event', requestId: '', seq: 2, at: expect.any(String), event: 'two', data: { name: 'two' } },
      ]);
    }
    await ben.client.event('other');
    expect(numbers(ben.client)).toEqual([1]);
  });

  it('of a transaction that is rolled back is not sent, and leaves no gap in the numbers', async () => {
    const { userId, client } = await person();
    const { db, events } = steward.context;
    const failing = db.transaction(async (tx) => {
      await events.record(tx, userId, 'undone' as 'resync', {});
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    await record(userId, 'done');
    await client.event('done');
    expect(numbers(client)).toEqual([1]);
  });

  it('from before authentication is sent only if requested', async () => {
    const { token, userId } = await person();
    await record(userId, 'past');
    const client = await SocketClient.open(steward.url);
    expect((await client.authenticate(token)).seq).toBe(1);
    await record(userId, 'new');
    await client.event('new');
    expect(names(client)).toEqual(['new']);
  });
});

describe('since', () => {
  it('sends missed events in order after ready, and then new ones', async () => {
    const { token, userId, client: first } = await person();
    await record(userId, 'one', 'two', 'three');
    await first.event('three');
    const client = await SocketClient.open(steward.url);
    expect(await client.authenticate(token, { since: 1 })).toMatchObject({ type: 'ready', seq: 3 });
    await record(userId, 'four');
    await client.event('four');
    expect(client.frames.map(({ type }) => type)).toEqual(['ready', 'event', 'event', 'event']);
    expect(names(client)).toEqual(['two', 'three', 'four']);
    expect(numbers(client)).toEqual([2, 3, 4]);
  });

  it('sends missed events with the time at which they were recorded', async () => {
    const { token, userId } = await person();
    await record(userId, 'early');
    await steward.sql(`update events set created_at = '2026-11-26T09:30:00Z' where user_id = $1`, [userId]);
    const client = await SocketClient.signedIn(steward.url, token, 0);
    expect(await client.event('early')).toHaveProperty('at', '2026-11-26T09:30:00.000Z');
  });

  it('sends nothing if nothing was missed', async () => {
    const { token, userId } = await person();
    await record(userId, 'one');
    const client = await SocketClient.signedIn(steward.url, token, 1);
    await record(userId, 'two');
    await client.event('two');
    expect(names(client)).toEqual(['two']);
  });

  it.each([
    ['in the future', 99],
    ['older than what is kept', 0],
    ['in the middle of what is gone', 1],
  ])('%s causes resync with the number to continue from', async (_what, since) => {
    const { token, userId } = await person();
    await record(userId, 'one', 'two', 'three');
    await steward.sql(`update events set created_at = now() - interval '25 hours' where user_id = $1 and seq < 3`, [userId]);
    await deleteExpiredRows(steward.context.db, 'events');
    const client = await SocketClient.signedIn(steward.url, token, since);
    expect(await client.event('resync')).toEqual({
      type: 'event',
      requestId: '',
      seq: 3,
      at: expect.any(String),
      event: 'resync',
      data: {},
    });
    await record(userId, 'four');
    await client.event('four');
    expect(numbers(client)).toEqual([3, 4]);
  });

  it('reaches back to the oldest stored event', async () => {
    const { token, userId } = await person();
    await record(userId, 'one', 'two', 'three');
    await steward.sql(`update events set created_at = now() - interval '25 hours' where user_id = $1 and seq < 3`, [userId]);
    await deleteExpiredRows(steward.context.db, 'events');
    const client = await SocketClient.signedIn(steward.url, token, 2);
    await client.event('three');
    expect(numbers(client)).toEqual([3]);
  });

  it('far behind causes resync instead of thousands of events', async () => {
    const { token, userId } = await person();
    await steward.sql(
      `with head as (update users set event_seq = 1001 where id = $1)
       insert into events (user_id, seq, event, data) select $1, n, 'many', '{}' from generate_series(1, 1001) n`,
      [userId],
    );
    const behind = await SocketClient.signedIn(steward.url, token, 0);
    await behind.event('resync');
    expect(numbers(behind)).toEqual([1001]);
    const near = await SocketClient.signedIn(steward.url, token, 1);
    await near.next(({ type, seq }) => type === 'event' && seq === 1001);
    expect(numbers(near)).toEqual(Array.from({ length: 1000 }, (_, index) => index + 2));
  });

  it('changes nothing when authenticating again', async () => {
    const { token, userId, client } = await person();
    await record(userId, 'one', 'two');
    await client.event('two');
    expect(await client.authenticate(token, { requestId: 'again', since: 0 })).toMatchObject({ type: 'ready', seq: 2 });
    await record(userId, 'three');
    await client.event('three');
    expect(numbers(client)).toEqual([1, 2, 3]);
  });

  it.each([-1, 1.5, '3', 1e300])('of %s is rejected', async (since) => {
    const { token } = await person();
    const client = await SocketClient.open(steward.url);
    client.send({ type: 'authenticate', requestId: '1', token, since });
    expect((await client.ended).code).toBe(4401);
  });

  it('while events are recorded: each is sent once, in order, whenever the socket authenticates', async () => {
    const { token, userId } = await person();
    const total = 60;
    const recording = (async () => {
      for (let count = 1; count <= total; count += 1) await record(userId, `event-${count}`);
    })();
    const clients: { client: SocketClient; since: number }[] = [];
    for (let joined = 0; joined < 8; joined += 1) {
      const since = clients.at(-1)?.client.events.at(-1)?.seq ?? 0;
      clients.push({ client: await SocketClient.signedIn(steward.url, token, since), since });
    }
    await recording;
    for (const { client, since } of clients) {
      await client.event(`event-${total}`);
      expect(numbers(client)).toEqual(Array.from({ length: total - since }, (_, index) => since + index + 1));
    }
  });
});

describe('a gap in the numbers', () => {
  it('is filled by reading again if an event commits late under an earlier id', async () => {
    const { userId, client } = await person();
    await record(userId, 'one');
    await client.event('one');
    // Like a database that assigns ids in blocks: the second event's id is lower than ids that were read before.
    await steward.sql('update users set event_seq = 2 where id = $1', [userId]);
    await steward.sql(
      `insert into events (user_id, seq, id, event, data) overriding system value
       values ($1, 2, (select min(id) - 1 from events), 'two', '{}')`,
      [userId],
    );
    await record(userId, 'three');
    await client.event('three');
    expect(names(client)).toEqual(['one', 'two', 'three']);
  });
});

describe('account events', () => {
  it('are sent for connecting, disconnecting and reconnecting', async () => {
    const { token, client } = await person();
    const email = `${newName()}@example.com`;
    const account = outcome((await connect(steward, { token, email })).callback).account_id ?? '';
    expect((await client.event('account.connected')).data).toEqual({ account, provider: 'workspace' });
    await steward.call(`/auth/workspace/accounts/${account}`, { method: 'DELETE', token });
    expect((await client.event('account.disconnected')).data).toEqual({ account, provider: 'workspace' });
    expect(names(client)).toEqual(['account.connected', 'account.disconnected']);
  });

  it('are sent for banks', async () => {
    const { token, client } = await person();
    expect((await linkBank(steward, token)).status).toBe(200);
    const { account } = (await client.event('account.connected')).data;
    await steward.call(`/auth/bank/accounts/${account}`, { method: 'DELETE', token });
    expect((await client.event('account.disconnected')).data).toEqual({ account, provider: 'bank' });
  });

  it('report a reconnected account as active', async () => {
    const { token, userId, client } = await person();
    const email = `${newName()}@example.com`;
    const account = outcome((await connect(steward, { token, email })).callback).account_id ?? '';
    await steward.sql(`update grants set status = 'reauth_required' where user_id = $1`, [userId]);
    await connect(steward, { token, email });
    expect((await client.event('account.status')).data).toEqual({ account, provider: 'workspace', status: 'active' });
    expect(names(client)).toEqual(['account.connected', 'account.connected', 'account.status']);
  });

  it('name the account of a status change, once', async () => {
    const { token, userId, client } = await person();
    const account = outcome((await connect(steward, { token, email: `${newName()}@example.com` })).callback).account_id ?? '';
    const [grant] = await steward.sql<{ id: string; subject: string }>('select id, subject from grants where user_id = $1', [userId]);
    const { db, statuses } = steward.context;
    const identity = { userId, grantId: grant?.id ?? randomUUID(), subject: grant?.subject ?? '' };
    for (let again = 0; again < 2; again += 1) await db.transaction((tx) => statuses.set(tx, identity, 'reauth_required'));
    await record(userId, 'end');
    await client.event('end');
    expect(client.events.filter(({ event }) => event === 'account.status').map(({ data }) => data)).toEqual([
      { account, provider: 'workspace', status: 'reauth_required' },
    ]);
  });
});

describe('integrations.updated', () => {
  it('is sent to all sockets only if a reload changes the revision', async () => {
    const people = [await person(), await person()];
    const file = join(folder, 'integrations.yaml');
    expect((await steward.updateIntegrations()).status).toBe(200);
    writeFileSync(file, `${readFileSync(file, 'utf8')}\n# changed\n`);
    expect((await steward.updateIntegrations()).status).toBe(200);
    const { revision } = steward.context.integrations.current;
    for (const { client } of people) {
      expect((await client.event('integrations.updated')).data).toEqual({ revision });
      expect(names(client)).toEqual(['integrations.updated']);
    }
  });
});
