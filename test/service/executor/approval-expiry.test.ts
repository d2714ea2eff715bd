import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AppError } from '../../../src/errors.ts';
import { createPostgresDatabase, hasPostgres, type PostgresDatabase } from '../../support/database/postgres.ts';
import { newPerson, type Person } from '../../support/emulators/workspace-content.ts';
import { linkBank, sweepNow, workspaceAccounts } from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { callAction } from '../../support/users/agents.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

/** @param rate of trashing files and of reading transactions, the only actions whose policy the tests change */
const withRate = (rate: string, description = 'Files.') => `version: 1
agents:
  drive:
    provider: workspace
    description: ${description}
    scopes: [drive]
    actions:
      share: { use: drive.share }
      trash: { use: drive.trash, policy: { rate: ${rate} } }
  bank:
    provider: bank
    description: Money.
    products: [auth, transactions]
    actions:
      numbers: { use: bank.numbers, policy: { approval: always } }
      transactions: { use: bank.transactions, policy: { approval: always, rate: ${rate} } }
`;
const [FIRST, SECOND] = ['20/hour', '30/hour'];

const folder = mkdtempSync(join(tmpdir(), 'steward-ends-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The error details of a call that needs approval. */
async function ask(on: TestSteward, me: Person, action = 'drive.trash', input: object = { id: 'root' }): Promise<Record<string, any>> {
  const error = await callAction(on, action, input, { token: me.token }).catch((thrown: AppError) => thrown);
  expect(error).toMatchObject({ code: 'approval_required' });
  return (error as AppError).details as Record<string, any>;
}

/** The user's events about approvals, as sent to a socket that reconnects. */
async function eventsOf(on: TestSteward, me: Person): Promise<[string, object][]> {
  const client = await SocketClient.open(on.url);
  const { seq: last } = await client.authenticate(me.token, { since: 0 });
  await client.next(({ type, seq }) => type === 'event' && seq === last, `event ${last}`);
  client.close();
  return client.events.filter(({ event }) => event.startsWith('approval.')).map(({ event, data }) => [event, data]);
}

const waiting = async (on: TestSteward, me: Person): Promise<string[]> => {
  const client = await SocketClient.signedIn(on.url, me.token);
  const { data } = await client.request({ type: 'approvals' });
  client.close();
  return data.approvals.map(({ approvalId }: { approvalId: string }) => approvalId);
};

const decide = async (on: TestSteward, me: Person, approvalId: string, approved = true) => {
  const client = await SocketClient.signedIn(on.url, me.token);
  const response = await client.request({ type: 'approve', approvalId, approved });
  client.close();
  return response;
};

const ended = ({ approvalId, action, accountId }: Record<string, any>, reason: string) => [
  'approval.ended',
  { approvalId, action, account: accountId, reason },
];
const refusedAs = (code: string) => ({ type: 'error', error: { code } });

describe('an approval request', () => {
  const file = join(folder, 'integrations.yaml');
  let steward: TestSteward;
  let me: Person;

  beforeAll(async () => {
    writeFileSync(file, withRate(FIRST));
    steward = await startSteward({ INTEGRATIONS_FILE: file });
  });
  afterAll(() => steward.stop());
  beforeEach(async () => {
    me = await newPerson(steward);
  });

  const publish = async (content: string) => {
    writeFileSync(file, content);
    expect((await steward.updateIntegrations()).status).toBe(200);
  };
  const disconnect = async () => {
    const [account] = await workspaceAccounts(steward, me.token);
    const response = await steward.call(`/auth/workspace/accounts/${account?.id}`, { method: 'DELETE', token: me.token });
    expect(response.status).toBeLessThan(300);
  };

  it('ends with its account, with an event', async () => {
    const asked = await ask(steward, me);
    await disconnect();
    expect(await waiting(steward, me)).toEqual([]);
    expect(await decide(steward, me, asked.approvalId)).toMatchObject(refusedAs('conflict'));
    expect(await decide(steward, me, asked.approvalId, false)).toMatchObject(refusedAs('conflict'));
    expect((await eventsOf(steward, me)).slice(1)).toEqual([ended(asked, 'disconnected')]);
    const rows = await steward.sql('select status, arguments from approvals where id = $1', [asked.approvalId]);
    expect(rows).toEqual([{ status: 'ended', arguments: null }]);
  });

  it('for a bank ends with its item, and those for other accounts remain', async () => {
    await linkBank(steward, me.token);
    const [money, files] = [await ask(steward, me, 'bank.numbers', {}), await ask(steward, me)];
    const response = await steward.call(`/auth/bank/accounts/${money.accountId}`, { method: 'DELETE', token: me.token });
    expect(response.status).toBeLessThan(300);
    expect(await waiting(steward, me)).toEqual([files.approvalId]);
    expect((await eventsOf(steward, me)).slice(2)).toEqual([ended(money, 'disconnected')]);
  });

  it('that expires ends with one event; a decided one does not', async () => {
    const [late, denied] = [
      await ask(steward, me),
      await ask(steward, me, 'drive.share', { id: 'root', email: 'zoe@example.org', role: 'reader' }),
    ];
    await decide(steward, me, denied.approvalId, false);
    await steward.sql(`update approvals set expires_at = now() - interval '1 second' where account_id = $1`, [late.accountId]);
    await sweepNow(steward);
    const status = async () => (await steward.sql<{ status: string }>('select status from approvals where id = $1', [late.approvalId]))[0];
    await eventually(async () => (await status())?.status === 'ended');
    await sweepNow(steward);
    await steward.context.approvalExpiry.endExpired();
    const { approvalId, action, accountId } = late;
    expect((await eventsOf(steward, me)).slice(3)).toEqual([['approval.expired', { approvalId, action, account: accountId }]]);
  });

  it('that was being prepared when its process ended is deleted without an event', async () => {
    const lost = await ask(steward, me);
    await steward.sql(`update approvals set status = 'preparing', expires_at = now() - interval '1 second' where id = $1`, [
      lost.approvalId,
    ]);
    await steward.context.approvalExpiry.endExpired();
    expect((await eventsOf(steward, me)).slice(1)).toEqual([]);
    expect((await ask(steward, me)).approvalId).not.toBe(lost.approvalId);
  });

  it('ends permanently when its action changes: restoring the old file does not reactivate it', async () => {
    const asked = await ask(steward, me);
    await publish(withRate(SECOND));
    expect(await waiting(steward, me)).toEqual([]);
    await publish(withRate(FIRST));
    expect(await waiting(steward, me)).toEqual([]);
    expect(await decide(steward, me, asked.approvalId)).toMatchObject(refusedAs('conflict'));
    expect((await eventsOf(steward, me)).slice(1)).toEqual([ended(asked, 'reconfigured')]);
    const again = await ask(steward, me);
    expect(await waiting(steward, me)).toEqual([again.approvalId]);
  });

  it('remains while its action is the same, whatever else of the file changes', async () => {
    const shared = { id: 'root', email: 'zoe@example.org', role: 'reader' };
    const [share, trash] = [await ask(steward, me, 'drive.share', shared), await ask(steward, me)];
    await publish(withRate(FIRST));
    await publish(`# A comment.\n${withRate(FIRST, 'Documents.')}`);
    expect(await waiting(steward, me)).toEqual([share.approvalId, trash.approvalId]);
    expect((await ask(steward, me)).approvalId).toBe(trash.approvalId);
    await publish(withRate(SECOND));
    expect(await waiting(steward, me)).toEqual([share.approvalId]);
    expect((await eventsOf(steward, me)).slice(2)).toEqual([ended(trash, 'reconfigured')]);
    // Approved under the new file; the provider then has its own say.
    expect(await decide(steward, me, share.approvalId)).not.toMatchObject(refusedAs('conflict'));
  });

  it.each([
    ['switched off', (file: string) => file.replace('use: drive.trash, policy: {', 'use: drive.trash, policy: { enabled: false,')],
    ['removed', (file: string) => file.replace(/^.*drive\.trash.*\n/m, '')],
    ['replaced under its name', (file: string) => file.replace('use: drive.trash', 'use: drive.rename')],
  ])('ends when its action is %s', async (_what, change) => {
    await publish(withRate(FIRST));
    const asked = await ask(steward, me);
    await publish(change(withRate(FIRST)));
    expect((await eventsOf(steward, me)).slice(1)).toEqual([ended(asked, 'reconfigured')]);
    await publish(withRate(FIRST));
    expect(await waiting(steward, me)).toEqual([]);
  });
});

describe.skipIf(!hasPostgres)('an approval request on replicas with separate files', () => {
  const files = { a: join(folder, 'a.yaml'), b: join(folder, 'b.yaml') };
  let database: PostgresDatabase;
  let a: TestSteward;
  let b: TestSteward;
  let userId: string;

  beforeAll(async () => {
    for (const file of Object.values(files)) writeFileSync(file, withRate(FIRST));
    database = await createPostgresDatabase();
    const env = { DATABASE_URL: database.url, MASTER_KEYS: `k1:${randomBytes(32).toString('base64')}` };
    a = await startSteward({ ...env, INTEGRATIONS_FILE: files.a });
    b = await startSteward({ ...env, INTEGRATIONS_FILE: files.b });
    const me = await newPerson(a);
    await linkBank(a, me.token);
    userId = (await a.context.sessions.authenticate(me.token)).userId;
  });
  afterAll(async () => {
    await a?.stop();
    await b?.stop();
    await database?.drop();
  });

  /** Each replica has its own emulated provider, which receives no request. */
  const askOn = async (on: TestSteward, from: string): Promise<string> => {
    const { signal } = new AbortController();
    const call = on.context.executor.invoke({
      user: { userId },
      surface: 'socket',
      action: 'bank.transactions',
      input: { from, to: from },
      signal,
    });
    const error = await call.catch((thrown: AppError) => thrown);
    expect(error).toMatchObject({ code: 'approval_required' });
    return String((error as AppError).details?.approvalId);
  };
  const waitingOn = async (on: TestSteward) => (await on.context.executor.approvals(userId)).map(({ approvalId }) => approvalId);
  const statusOf = async (id: string) => (await a.sql<{ status: string }>('select status from approvals where id = $1', [id]))[0]?.status;
  const reload = async (on: TestSteward, file: string, rate: string) => {
    writeFileSync(file, withRate(rate));
    expect((await on.updateIntegrations()).status).toBe(200);
  };
  const diverged = (of: TestSteward) => of.logs.join('').includes('not those of the others');

  it('ends with the newest file, whichever replica created it; a replica with a different file ends none', async () => {
    const old = [await askOn(a, '2026-01-01'), await askOn(b, '2026-02-01')];
    expect(await waitingOn(b)).toEqual(old);
    await reload(a, files.a, SECOND);
    expect(await Promise.all(old.map(statusOf))).toEqual(['ended', 'ended']);
    // Before its first poll, it does not detect a reload by another replica.
    await eventually(async () => (await a.updateIntegrations()).status === 200 && diverged(b));
    const [onB, onA] = [await askOn(b, '2026-02-01'), await askOn(a, '2026-01-01')];
    expect([await waitingOn(a), await waitingOn(b)]).toEqual([[onA], [onB]]);
    await reload(b, files.b, FIRST);
    await eventually(() => diverged(a));
    expect([await waitingOn(a), await waitingOn(b)]).toEqual([[onA], [onB]]);
    await reload(b, files.b, SECOND);
    expect([await waitingOn(a), await waitingOn(b)]).toEqual([[onA], [onA]]);
    expect(await statusOf(onB)).toBe('ended');
    // One event each; those of one file in no order.
    const events = await a.sql<{ id: string }>(`select data->>'approvalId' as id from events where event = 'approval.ended' order by seq`);
    const ended = events.map(({ id }) => id);
    expect([ended.slice(0, 2).sort(), ended.slice(2)]).toEqual([old.toSorted(), [onB]]);
  });
});
