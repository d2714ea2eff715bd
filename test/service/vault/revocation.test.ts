import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  answerConfirmation,
  connect,
  connectUnbound,
  linkBank,
  liveTokens,
  newName,
  outcome,
  sweepNow,
  sweepToEnd,
  workspaceAccounts,
} from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';

const NONE = { access: 0, refresh: 0 };

let steward: TestSteward;

beforeAll(async () => {
  steward = await startSteward({ LIMIT_REVOCATION_RETRY_SECONDS: '1' });
});

afterAll(() => steward.stop());
afterEach(async () => {
  await steward.control('faults/clear', {});
});

interface Revocation {
  id: string;
  subject: string | null;
  token: Buffer | null;
  wrapped_key: Buffer | null;
  master_key_id: string | null;
  attempts: number;
  unconfirmed_at: Date | null;
}

/** Pending revocations, oldest first; without those that ended unconfirmed. */
function rows(): Promise<Revocation[]> {
  return steward.sql<Revocation>('select * from revocations where unconfirmed_at is null order by created_at');
}

const settled = () => eventually(async () => expect(await rows()).toEqual([]));
const tried = () => eventually(async () => (await rows()).some(({ attempts }) => attempts > 0));
const providerFails = (fault: Record<string, unknown> = { kind: 'status', status: 503 }) =>
  steward.control('faults', { part: 'workspace', path: '/revoke', ...fault });

async function revocationsAtProvider(): Promise<number> {
  return (await steward.control('state')).calls.workspace.revocations ?? 0;
}

/** A new user with one new account, or the given one. */
async function connected(email = `${newName()}@example.com`) {
  const token = await steward.signIn(newName());
  const { callback } = await connect(steward, { token, email });
  return { token, email, id: outcome(callback).account_id ?? '' };
}

/** The state of the account's consent in the database. */
async function standing({ id }: { id: string }, status: string): Promise<void> {
  await steward.sql('update grants set status = $2 where id = (select grant_id from workspace_accounts where id = $1)', [id, status]);
}

async function disconnect({ token, id }: { token: string; id: string }): Promise<void> {
  const response = await steward.call(`/auth/workspace/accounts/${id}`, { method: 'DELETE', token });
  expect(response.body).toEqual({ success: true });
}

describe('disconnecting', () => {
  it('revokes at the provider afterwards, and deletes the token once that is confirmed', async () => {
    const account = await connected();
    expect(await liveTokens(steward, account.email)).toEqual({ access: 1, refresh: 1 });
    await disconnect(account);
    expect(await workspaceAccounts(steward, account.token)).toEqual([]);
    await eventually(async () => expect(await liveTokens(steward, account.email)).toEqual(NONE));
    await settled();
  });

  it('is complete if the provider no longer knows the token', async () => {
    const account = await connected();
    await steward.control('workspace/revoke', { email: account.email });
    const before = await revocationsAtProvider();
    await disconnect(account);
    await settled();
    expect(await revocationsAtProvider()).toBe(before + 1);
  });

  it.each([
    ['503', { kind: 'status', status: 503 }],
    ['429', { kind: 'status', status: 429 }],
    ['a rejection that is not about the token', { kind: 'status', status: 400, error: 'invalid_request' }],
    ['a web page with 500', { kind: 'html', status: 500 }],
    ['a web page with 200', { kind: 'html', status: 200 }],
    ['no JSON with 200', { kind: 'malformed', status: 200 }],
  ])('responds immediately while the provider returns %s, and revokes when it is available', async (_name, fault) => {
    const account = await connected();
    await providerFails(fault);
    await disconnect(account);
    expect(await workspaceAccounts(steward, account.token)).toEqual([]);
    await tried();
    expect(await rows()).toHaveLength(1);
    expect(await liveTokens(steward, account.email)).toEqual({ access: 1, refresh: 1 });
    await steward.control('faults/clear', {});
    await eventually(async () => expect(await liveTokens(steward, account.email)).toEqual(NONE));
    await settled();
  });

  it('responds immediately while the provider hangs, and revokes when it is available', async () => {
    const account = await connected();
    await providerFails({ kind: 'hang' });
    await disconnect(account);
    await tried();
    expect(await rows()).toHaveLength(1);
    await steward.control('faults/clear', {});
    await settled();
    expect(await liveTokens(steward, account.email)).toEqual(NONE);
  });

  it('stores of a pending revocation an id, the subject and the encrypted token, for seven days', async () => {
    const account = await connected();
    await providerFails();
    await disconnect(account);
    const [row] = await rows();
    expect(row?.token?.toString('latin1')).not.toContain('sandbox-');
    expect(row?.wrapped_key?.byteLength).toBeGreaterThan(32);
    expect(row?.master_key_id).not.toBeNull();
    const jobs = await steward.sql<{ data: unknown }>(`select data from pgboss.job where name = 'revoke' and data->>'id' = $1`, [row?.id]);
    expect(jobs.map(({ data }) => data)).toEqual([{ id: row?.id }]);
    const week = `select deadline_at = created_at + interval '7 days' as "isWeek" from revocations where id = $1`;
    expect(await steward.sql(week, [row?.id])).toEqual([{ isWeek: true }]);
  });
});

describe('an account that two users connected', () => {
  it('is not revoked when one of them disconnects, but when the last one does', async () => {
    await settled();
    const one = await connected();
    const two = await connected(one.email);
    const before = await revocationsAtProvider();
    await disconnect(one);
    await settled();
    expect(await revocationsAtProvider()).toBe(before);
    expect(await liveTokens(steward, one.email)).toEqual({ access: 2, refresh: 2 });
    expect(await workspaceAccounts(steward, two.token)).toMatchObject([{ id: two.id, status: 'active' }]);
    await disconnect(two);
    await eventually(async () => expect(await liveTokens(steward, one.email)).toEqual(NONE));
  });

  it('is revoked immediately if the other user’s consent has ended', async () => {
    await settled();
    const one = await connected();
    const two = await connected(one.email);
    await standing(one, 'reauth_required');
    await disconnect(two);
    await eventually(async () => expect(await liveTokens(steward, one.email)).toEqual(NONE));
    await settled();
    expect(await workspaceAccounts(steward, one.token)).toMatchObject([{ id: one.id, status: 'reauth_required' }]);
  });

  it('keeps an account that the other user has connected again while the provider was unreachable', async () => {
    await settled();
    const one = await connected();
    const two = await connected(one.email);
    await standing(one, 'reauth_required');
    await providerFails();
    await disconnect(two);
    await tried();
    const before = await revocationsAtProvider();
    const again = await connect(steward, { token: one.token, email: one.email });
    expect(outcome(again.callback).status).toBe('connected');
    await steward.control('faults/clear', {});
    await settled();
    expect(await revocationsAtProvider()).toBe(before);
    expect(await workspaceAccounts(steward, one.token)).toMatchObject([{ id: one.id, status: 'active' }]);
  });

  it('never leaves a user with invalid tokens who connects again during the revocation', async () => {
    await settled();
    const one = await connected();
    const two = await connected(one.email);
    await standing(one, 'reauth_required');
    await providerFails({ kind: 'hang', times: 1 });
    await disconnect(two);
    await eventually(async () => (await steward.sql('select 1 from provider_subjects where revoking_until > now()')).length > 0);
    const again = connect(steward, { token: one.token, email: one.email });
    await eventually(async () => (await liveTokens(steward, one.email)).refresh === 3);
    expect(await workspaceAccounts(steward, one.token)).toMatchObject([{ status: 'reauth_required' }]);
    await steward.control('faults/clear', {});
    expect(outcome((await again).callback).status).toBe('connected');
    await settled();
    expect((await liveTokens(steward, one.email)).refresh).toBe(3);
  });

  it('is unaffected by a confirmation that another user cancels, or lets expire', async () => {
    const owner = await connected();
    const before = await revocationsAtProvider();
    const cancelled = await connectUnbound(steward, { token: await steward.signIn(newName()), email: owner.email });
    await answerConfirmation(cancelled.browser, cancelled.page, 'cancel');
    await connectUnbound(steward, { token: await steward.signIn(newName()), email: owner.email });
    await steward.sql(`update oauth_flows set confirmation_expires_at = now() - interval '1 second' where pending is not null`);
    await sweepNow(steward);
    await eventually(async () => expect(await steward.sql('select 1 from oauth_flows where pending is not null')).toEqual([]));
    await settled();
    expect(await revocationsAtProvider()).toBe(before);
    expect((await liveTokens(steward, owner.email)).refresh).toBe(3);
  });
});

describe('an item that two users linked', () => {
  /** As if the aggregator had returned one user's item to the other, too. */
  async function shared(status: string) {
    const tokens = [await steward.signIn(newName()), await steward.signIn(newName())] as const;
    for (const token of tokens) expect((await linkBank(steward, token)).body).toEqual({ success: true });
    const entries = await Promise.all(
      tokens.map(async (token) => (await steward.call('/auth/bank/accounts', { token })).body.accounts[0].id),
    );
    const [grant] = await steward.sql<{ subject: string }>(
      'select subject from grants where id = (select grant_id from bank_items where id = $1)',
      [entries[1]],
    );
    await steward.sql('update grants set subject = $2, status = $3 where id = (select grant_id from bank_items where id = $1)', [
      entries[0],
      grant?.subject,
      status,
    ]);
    return { itemId: grant?.subject, token: tokens[1], entry: entries[1] };
  }

  it.each([
    ['active', false],
    // Its access token still works, and update mode repairs it.
    ['relink_required', false],
    ['item_gone', true],
  ])('while the other’s entry is %s: removed at the aggregator is %s', async (status, removed) => {
    await settled();
    const { itemId, token, entry } = await shared(status);
    expect((await steward.call(`/auth/bank/accounts/${entry}`, { method: 'DELETE', token })).body).toEqual({ success: true });
    await settled();
    const { items } = await steward.control('bank/state');
    expect(items.find((item: { item_id: string }) => item.item_id === itemId)).toMatchObject({ removed });
  });
});

describe('connecting again', () => {
  it('before the provider was reached keeps the account and drops the revocation', async () => {
    const account = await connected();
    await providerFails();
    await disconnect(account);
    await tried();
    const before = await revocationsAtProvider();
    const again = await connect(steward, { token: account.token, email: account.email });
    expect(outcome(again.callback).status).toBe('connected');
    await steward.control('faults/clear', {});
    await settled();
    expect(await revocationsAtProvider()).toBe(before);
    expect((await liveTokens(steward, account.email)).refresh).toBe(2);
    expect(await workspaceAccounts(steward, account.token)).toMatchObject([{ status: 'active' }]);
  });

  it('during the revocation never leaves an account connected with invalid tokens', async () => {
    const account = await connected();
    await providerFails({ kind: 'delay', ms: 1_000, times: 1 });
    await disconnect(account);
    await eventually(async () => (await rows()).length === 0 || (await rows())[0]!.attempts > 0);
    const again = await connect(steward, { token: account.token, email: account.email });
    await settled();
    const alive = (await liveTokens(steward, account.email)).refresh > 0;
    expect(outcome(again.callback)).toMatchObject(alive ? { status: 'connected' } : { status: 'error', code: 'provider_error' });
    expect(await workspaceAccounts(steward, account.token)).toHaveLength(alive ? 1 : 0);
  });

  it('waits for a revocation for longer than a call to the provider may take', async () => {
    await settled();
    const account = await connected();
    await providerFails({ kind: 'hang', times: 1 });
    await disconnect(account);
    const claims = await eventually(async () => {
      const found = await steward.sql(
        `select revoking_until >= created_at + interval '30 seconds' as "isLonger" from provider_subjects, revocations
         where revoking_until is not null and unconfirmed_at is null`,
      );
      return found.length > 0 && found;
    });
    expect(claims).toEqual([{ isLonger: true }]);
    await steward.control('faults/clear', {});
    await settled();
  });

  it('waits for the end of a revocation that hangs, and connects then', async () => {
    const account = await connected();
    await providerFails({ kind: 'hang', times: 1 });
    await disconnect(account);
    await eventually(async () => (await steward.sql('select 1 from provider_subjects where revoking_until > now()')).length > 0);
    let isOver = false;
    const again = connect(steward, { token: account.token, email: account.email }).finally(() => {
      isOver = true;
    });
    await eventually(async () => (await liveTokens(steward, account.email)).refresh === 2);
    for (let look = 0; look < 20; look += 1) expect(await workspaceAccounts(steward, account.token)).toEqual([]);
    expect(isOver).toBe(false);
    await steward.control('faults/clear', {});
    expect(outcome((await again).callback).status).toBe('connected');
    await settled();
    expect((await liveTokens(steward, account.email)).refresh).toBe(2);
  });
});

describe('a revocation that the provider never confirms', () => {
  it('is deleted at its deadline and reported, and not retried', async () => {
    const account = await connected();
    await providerFails();
    await disconnect(account);
    await tried();
    const [row] = await rows();
    await steward.sql(`update revocations set deadline_at = now() - interval '1 second' where id = $1`, [row?.id]);
    const [ended] = await eventually(async () => {
      const found = await steward.sql<Revocation>('select * from revocations where id = $1 and unconfirmed_at is not null', [row?.id]);
      return found.length > 0 && found;
    });
    expect(ended).toMatchObject({ subject: null, token: null, wrapped_key: null, master_key_id: null });
    const reported = steward.logs.filter((line) => line.includes(row?.id ?? '') && line.includes('never confirmed'));
    expect(reported).toHaveLength(1);
    await steward.control('faults/clear', {});
    const before = await revocationsAtProvider();
    await sweepToEnd(steward);
    expect(await revocationsAtProvider()).toBe(before);
    expect((await liveTokens(steward, account.email)).refresh).toBe(1);
  });
});

describe('a revocation without a job', () => {
  /** As if the process had been killed between the commit and the queue (null), or the job had been lost since. */
  async function loseJob(queuedAt: string): Promise<void> {
    await eventually(async () => {
      await steward.sql(`delete from pgboss.job where name = 'revoke' and state <> 'active'`);
      return (await steward.sql(`select 1 from pgboss.job where name = 'revoke'`)).length === 0;
    });
    await steward.sql(`update revocations set queued_at = ${queuedAt}`);
  }

  it.each([
    ['never had one', 'null'],
    ['lost it', `now() - interval '7 hours 1 second'`],
  ])('that %s is found by the sweep', async (_name, queuedAt) => {
    const account = await connected();
    await providerFails();
    await disconnect(account);
    await tried();
    await loseJob(queuedAt);
    await steward.control('faults/clear', {});
    expect(await rows()).toHaveLength(1);
    await sweepNow(steward);
    await settled();
    expect(await liveTokens(steward, account.email)).toEqual(NONE);
  });

  it('is found after a restart', async () => {
    const account = await connected();
    await providerFails();
    await disconnect(account);
    await tried();
    await loseJob('null');
    steward = await steward.restart();
    await eventually(async () => expect(await liveTokens(steward, account.email)).toEqual(NONE));
    await settled();
  });

  it('with one is finished after a restart too', async () => {
    const account = await connected();
    await providerFails();
    await disconnect(account);
    await tried();
    steward = await steward.restart();
    await eventually(async () => expect(await liveTokens(steward, account.email)).toEqual(NONE));
    await settled();
  });
});
