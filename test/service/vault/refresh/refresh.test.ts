import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WorkspaceEmulator } from '../../../support/emulators/workspace-emulator.ts';
import { workspaceAccounts } from '../../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../../support/steward.ts';
import { advancing } from '../../../support/time/advancing.ts';
import { eventually } from '../../../support/time/eventually.ts';
import {
  type ConnectedGrant,
  connectGrant,
  endWait,
  type GrantState,
  grantState,
  leave,
  lengthenPause,
} from '../../../support/users/refreshing.ts';

const GOOGLE = 'https://www.googleapis.com/auth/';

let provider: WorkspaceEmulator;
let steward: TestSteward;

beforeAll(async () => {
  provider = await new WorkspaceEmulator().start();
  steward = await startSteward({
    ...provider.env,
    LIMIT_REVOCATION_RETRY_SECONDS: '1',
  });
});

afterAll(async () => {
  await steward.stop();
  await provider.stop();
});

beforeEach(() => {
  Object.assign(provider.tokens, { rotation: 'strict', fields: {}, before: () => {}, after: () => {} });
  provider.tokens.instead.length = 0;
});

const current = ({ userId, grantId }: ConnectedGrant) => steward.context.tokens.current(userId, grantId);
const renewed = ({ userId, grantId }: ConnectedGrant, rejected: string) => steward.context.tokens.renewed(userId, grantId, rejected);
const connect = (of = {}) => connectGrant(steward, provider, steward.sql, of);
const lastGiven = () => provider.tokens.given.at(-1);

async function state(grant: ConnectedGrant): Promise<GrantState> {
  const found = await grantState(steward.sql, grant);
  if (found === undefined) throw new Error('the grant is gone');
  return found;
}

/** A grant whose access token expired a minute ago. */
async function expired(): Promise<ConnectedGrant> {
  const grant = await connect();
  await leave(steward.sql, grant, -60);
  return grant;
}

/** Number of token requests meanwhile. */
async function asking<Result>(work: () => Promise<Result>): Promise<{ result: Result; asked: number }> {
  const before = provider.tokens.asked.length;
  const result = await work();
  return { result, asked: provider.tokens.asked.length - before };
}

function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const before = provider.tokens.asked.length;
  return { wait: () => promise, open: resolve, reached: () => eventually(() => provider.tokens.asked.length > before) };
}

/** Statuses of the events sent to front ends, in order. */
async function statusEvents({ userId, accountId }: ConnectedGrant): Promise<string[]> {
  const rows = await steward.sql<{ status: string }>(
    `select data->>'status' as status from events where user_id = $1 and event = 'account.status' and data->>'account' = $2 order by seq`,
    [userId, accountId],
  );
  return rows.map(({ status }) => status);
}

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => expect.fail('it was not refused'),
    (error) => error,
  );

describe('a token that is due', () => {
  it('is returned unchanged before its refresh is due', async () => {
    const grant = await connect();
    await leave(steward.sql, grant, 301);
    const { result, asked } = await asking(() => current(grant));
    expect(asked).toBe(0);
    expect(provider.issued).toContain(result);
  });

  it('is refreshed before it expires, and the new one is stored encrypted with its expiry', async () => {
    const grant = await connect();
    await leave(steward.sql, grant, 59);
    const before = await state(grant);
    const { result, asked } = await asking(() => current(grant));
    expect(asked).toBe(1);
    expect(result).toBe(lastGiven());
    const after = await state(grant);
    expect(after).toMatchObject({ status: 'active', lease: null, failures: 0, pause: null, scopes: before.scopes });
    expect(after.version).toBeGreaterThan(before.version);
    expect(after.remaining).toBeGreaterThan(3_500);
    expect(after.remaining).toBeLessThanOrEqual(3_599);
    const [row] = await steward.sql<{ tokens: Buffer }>('select tokens from grants where id = $1', [grant.grantId]);
    expect(row?.tokens.toString('latin1')).not.toContain('access-');
    expect((await asking(() => current(grant))).asked).toBe(0);
  });

  it('is refreshed once for 100 callers, with the stored refresh token', async () => {
    const grant = await expired();
    const door = gate();
    provider.tokens.before = door.wait;
    const { result, asked } = await asking(async () => {
      const calls = Array.from({ length: 100 }, () => current(grant));
      await door.reached();
      door.open();
      return Promise.all(calls);
    });
    expect(asked).toBe(1);
    expect(new Set(result)).toEqual(new Set([lastGiven()]));
  });

  it('uses each rotated refresh token in turn', async () => {
    const grant = await expired();
    for (let turn = 0; turn < 3; turn += 1) {
      await leave(steward.sql, grant, -1);
      expect(await current(grant)).toBe(lastGiven());
    }
    expect(new Set(provider.tokens.asked.slice(-3)).size).toBe(3);
  });

  it('keeps the refresh token if the response has none', async () => {
    const grant = await expired();
    provider.tokens.rotation = 'off';
    await current(grant);
    await leave(steward.sql, grant, -1);
    expect(await current(grant)).toBe(lastGiven());
    expect(new Set(provider.tokens.asked.slice(-2)).size).toBe(1);
  });

  it.each([
    ['null', { refresh_token: null, scope: null, id_token: null }],
    ['empty', { refresh_token: '', scope: '', id_token: '' }],
    ['odd', { scope: 17, id_token: {} }],
  ])('keeps the stored values if the response’s optional fields are %s', async (_name, fields) => {
    const grant = await expired();
    provider.tokens.rotation = 'refresh_token' in fields ? 'off' : 'strict';
    provider.tokens.fields = fields;
    const { scopes } = await state(grant);
    expect(await current(grant)).toBe(lastGiven());
    expect((await state(grant)).scopes).toEqual(scopes);
    await leave(steward.sql, grant, -1);
    expect(await current(grant)).toBe(lastGiven());
  });

  it('stores the scopes of the response, if it has any', async () => {
    const grant = await expired();
    provider.tokens.fields = { scope: `openid ${GOOGLE}drive`, id_token: 'not even a token' };
    await current(grant);
    expect((await state(grant)).scopes).toEqual(['openid', `${GOOGLE}drive`]);
    const [account] = await workspaceAccounts(steward, grant.token);
    expect(account?.missing_scopes).toContain('mail.modify');
  });

  it.each([
    ['-1', -1, 30],
    ['0', 0, 30],
    ['"NaN"', 'NaN', 3600],
    ['"abc"', 'abc', 3600],
    ['an object', {}, 3600],
    ['nothing', undefined, 3600],
    ['1e12', 1e12, 86_400],
    ['"1800"', '1800', 1800],
    ['5', 5, 5],
  ])('survives expires_in %s', async (_name, given, life) => {
    const grant = await expired();
    provider.tokens.fields = { expires_in: given };
    expect(await current(grant)).toBe(lastGiven());
    const { remaining } = await state(grant);
    expect(remaining).toBeLessThanOrEqual(life);
    expect(remaining).toBeGreaterThan(life - 5);
    expect((await asking(() => current(grant))).asked).toBe(0);
  });

  it('with a lifetime of one second is refreshed once per use, not in a loop', async () => {
    const grant = await expired();
    provider.tokens.fields = { expires_in: 1 };
    for (let use = 0; use < 3; use += 1) {
      await steward.sql(`update grants set expires_at = now(), updated_at = now() - interval '1 second' where id = $1`, [grant.grantId]);
      const { result, asked } = await asking(() => current(grant));
      expect(asked).toBe(1);
      expect(result).toBe(lastGiven());
    }
  });

  it('with a lifetime of a minute is not refreshed five minutes early', async () => {
    const grant = await connect();
    await steward.sql(
      `update grants set expires_at = now() + interval '50 seconds', updated_at = now() - interval '10 seconds' where id = $1`,
      [grant.grantId],
    );
    expect((await asking(() => current(grant))).asked).toBe(0);
  });

  it.each([
    ['ahead', `expires_at = now() + interval '10 minutes 1 hour', updated_at = now()`, 0],
    ['behind', `expires_at = now() - interval '9 minutes', updated_at = now()`, 1],
  ])('of a machine whose clock is 10 minutes %s is refreshed once at most, not in a loop', async (_name, times, expected) => {
    const grant = await connect();
    await steward.sql(`update grants set ${times} where id = $1`, [grant.grantId]);
    const { asked } = await asking(async () => {
      for (let use = 0; use < 5; use += 1) await current(grant);
    });
    expect(asked).toBe(expected);
  });
});

describe('accounts that must not be used', () => {
  it('of another user are not found', async () => {
    const [mine, other] = [await expired(), await connect()];
    const error = await refusal(steward.context.tokens.current(other.userId, mine.grantId));
    expect(error).toMatchObject({ code: 'not_found' });
  });

  it.each(['reauth_required', 'relink_required', 'item_gone'])(
    'with status %s are rejected without a request to the provider',
    async (status) => {
      const grant = await expired();
      await steward.sql('update grants set status = $2 where id = $1', [grant.grantId, status]);
      const { result, asked } = await asking(() => refusal(current(grant)));
      expect(result).toMatchObject({ code: status });
      expect(asked).toBe(0);
    },
  );
});

describe('the end of a consent', () => {
  it.each([
    ['invalid_grant', { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' }],
    ['invalid_rapt', { error: 'invalid_rapt' }],
    ['access_denied', { error: 'access_denied' }],
    ['admin_policy_enforced', { error: 'admin_policy_enforced' }],
    ['invalid_grant with invalid_rapt below', { error: 'invalid_grant', error_subtype: 'invalid_rapt' }],
    ['invalid_rapt inside a text', { error: 'some_error', error_description: '{"error":"invalid_grant","error_subtype":"invalid_rapt"}' }],
    ['invalid_rapt inside a message', { error: { code: 400, message: '{"error":"invalid_rapt"}' } }],
  ])('%s is shown immediately, in both lists', async (_name, body) => {
    const grant = await expired();
    provider.tokens.instead.push([400, body]);
    const { result, asked } = await asking(() => Promise.all(Array.from({ length: 5 }, () => refusal(current(grant)))));
    expect(result.map(({ code }) => code)).toEqual(Array(5).fill('reauth_required'));
    expect(asked).toBe(1);
    expect(await workspaceAccounts(steward, grant.token)).toMatchObject([{ id: grant.accountId, status: 'reauth_required' }]);
    expect((await asking(() => refusal(current(grant)))).asked).toBe(0);
    expect(await statusEvents(grant)).toEqual(['reauth_required']);
  });

  it('is repaired by connecting again', async () => {
    const grant = await expired();
    provider.tokens.instead.push([400, { error: 'invalid_grant' }]);
    await refusal(current(grant));
    await connect(grant);
    expect(provider.issued).toContain(await current(grant));
    expect(await workspaceAccounts(steward, grant.token)).toMatchObject([{ id: grant.accountId, status: 'active' }]);
  });

  it('is ignored for a refresh token that was replaced meanwhile: the account stays connected', async () => {
    const grant = await expired();
    const door = gate();
    provider.tokens.before = door.wait;
    provider.tokens.instead.push([400, { error: 'invalid_grant' }]);
    const call = current(grant);
    await door.reached();
    await connect(grant);
    const connected = provider.issued.at(-2);
    door.open();
    expect(await call).toBe(connected);
    expect((await state(grant)).status).toBe('active');
  });
});

describe('a refresh that fails', () => {
  it.each([
    ['500', [500, { error: 'invalid_grant' }]],
    ['503 as a page', [503, '<!doctype html><title>Maintenance</title>']],
    ['429', [429, { error: 'invalid_grant' }]],
    ['a page with 200', [200, '<!doctype html><title>Maintenance</title>']],
    ['truncated JSON', [200, '{"access_token":"tru']],
    ['no access token', [200, { token_type: 'Bearer', expires_in: 3599 }]],
    ['invalid_grant with 200', [200, { error: 'invalid_grant' }]],
    ['a rejection that is not understood', [400, { error: 'invalid_request' }]],
    ['a rejection without words', [400, []]],
  ] as const)('by %s leaves the account connected, and returns when to retry', async (_name, response) => {
    const grant = await expired();
    provider.tokens.instead.push([response[0], response[1]]);
    const [{ begun }] = (await steward.sql<{ begun: string }>('select clock_timestamp()::text as begun')) as [{ begun: string }];
    const error = await refusal(current(grant));
    expect(error).toMatchObject({ code: 'unavailable', retryAfter: 1 });
    const { pause, ...rest } = await state(grant);
    expect(rest).toMatchObject({ status: 'active', failures: 1, lease: null });
    expect(pause).not.toBeNull();
    // The pause of at least half a second may have ended by now.
    expect(
      await steward.sql(`select 1 from grants where id = $1 and refresh_after >= $2::timestamptz + interval '0.5 s'`, [
        grant.grantId,
        begun,
      ]),
    ).toHaveLength(1);
    await endWait(steward.sql, grant, 'refresh_after');
    expect(await current(grant)).toBe(lastGiven());
    expect(await state(grant)).toMatchObject({ failures: 0, pause: null });
  });

  it('by a timeout or an unreachable provider leaves the account connected', async () => {
    const grant = await expired();
    const door = gate();
    provider.tokens.before = door.wait;
    expect(await advancing(steward.clock, refusal(current(grant)))).toMatchObject({ code: 'unavailable' });
    // The refresh may take longer than who waits for it.
    await advancing(
      steward.clock,
      eventually(async () => (await state(grant)).failures === 1),
    );
    door.open();
    await endWait(steward.sql, grant, 'refresh_after');
    provider.on('/token', (response) => response.destroy());
    expect(await refusal(current(grant))).toMatchObject({ code: 'unavailable' });
    provider.reset();
    expect(await state(grant)).toMatchObject({ status: 'active', failures: 2 });
  });

  it('pauses up to a minute, without requests to the provider during a pause', async () => {
    const grant = await expired();
    const pauses: number[] = [];
    for (let failure = 0; failure < 9; failure += 1) {
      provider.tokens.instead.push([503, {}]);
      await refusal(current(grant));
      pauses.push((await state(grant)).pause ?? 0);
      await lengthenPause(steward.sql, grant);
      expect((await asking(() => refusal(current(grant)))).asked).toBe(0);
      await endWait(steward.sql, grant, 'refresh_after');
    }
    pauses.forEach((pause, failure) => {
      const whole = Math.min(2 ** failure, 60);
      expect(pause).toBeLessThanOrEqual(whole);
      expect(pause).toBeGreaterThan(whole / 2 - 1);
    });
  });

  it('honours Retry-After', async () => {
    const grant = await expired();
    provider.tokens.instead.push([429, {}, { 'retry-after': '120' }]);
    expect(await refusal(current(grant))).toMatchObject({ code: 'unavailable', retryAfter: 120 });
    expect((await state(grant)).pause).toBeGreaterThan(100);
  });

  it('continues to use a token that is still valid, without another request', async () => {
    const grant = await connect();
    const token = await current(grant);
    await leave(steward.sql, grant, 30);
    provider.tokens.instead.push([503, {}, { 'retry-after': '30' }]);
    const { result, asked } = await asking(async () => [await current(grant), await current(grant), await current(grant)]);
    expect(result).toEqual([token, token, token]);
    expect(asked).toBe(1);
  });

  it.each(['invalid_client', 'unauthorized_client'])(
    'by %s is reported to the operator: one alarm a minute, no account affected',
    async (error) => {
      const own = await startSteward(provider.env);
      const grants = [await connectGrant(own, provider, own.sql), await connectGrant(own, provider, own.sql)];
      for (const grant of grants) {
        await leave(own.sql, grant, -60);
        provider.tokens.instead.push([401, { error }]);
        expect(await refusal(own.context.tokens.current(grant.userId, grant.grantId))).toMatchObject({ code: 'unavailable' });
        expect(await grantState(own.sql, grant)).toMatchObject({ status: 'active' });
      }
      expect(own.logs.filter((line) => JSON.parse(line).level === 50)).toHaveLength(1);
      await own.stop();
    },
  );
});

describe('a token that the provider rejects before its expiry', () => {
  it('is refreshed once for 20 concurrent callers', async () => {
    const grant = await connect();
    const token = await current(grant);
    const { result, asked } = await asking(() => Promise.all(Array.from({ length: 20 }, () => renewed(grant, token))));
    expect(asked).toBe(1);
    expect(new Set(result)).toEqual(new Set([lastGiven()]));
  });

  it('is not refreshed again for later callers with the old one', async () => {
    const grant = await connect();
    const token = await current(grant);
    await renewed(grant, token);
    const { result, asked } = await asking(() => renewed(grant, token));
    expect(result).toBe(lastGiven());
    expect(asked).toBe(0);
  });

  it('ends the consent only if the provider says so', async () => {
    const grant = await connect();
    const token = await current(grant);
    provider.tokens.instead.push([400, { error: 'invalid_grant' }]);
    expect(await refusal(renewed(grant, token))).toMatchObject({ code: 'reauth_required' });
  });

  it('repeatedly causes pauses and provider_error; the account stays connected', async () => {
    const grant = await connect();
    let token = await current(grant);
    const { result, asked } = await asking(async () => {
      for (let use = 0; use < 20; use += 1) {
        const next = await renewed(grant, token).catch((error: unknown) => error);
        if (typeof next !== 'string') return next;
        token = next;
      }
      return undefined;
    });
    expect(result).toMatchObject({ code: 'provider_error', retryAfter: 1 });
    expect(asked).toBe(4);
    expect(await state(grant)).toMatchObject({ status: 'active' });
    expect(await current(grant)).toBe(token);
  });
});

describe('a refresh in progress', () => {
  it('loses against a reconnect: its tokens are dropped, the new ones are used', async () => {
    const grant = await expired();
    const door = gate();
    provider.tokens.after = door.wait;
    const call = current(grant);
    await door.reached();
    await connect(grant);
    const connected = provider.issued.at(-2);
    door.open();
    expect(await call).toBe(connected);
    expect(await current(grant)).toBe(connected);
    expect(await steward.sql('select id from revocations')).toEqual([]);
  });

  it('passes its refresh token to a reconnect without one, because the old one is no longer valid', async () => {
    const grant = await expired();
    const door = gate();
    provider.tokens.after = door.wait;
    const call = current(grant);
    await door.reached();
    await connect({ ...grant, change: { omit: ['refresh_token'] } });
    door.open();
    expect(await call).toBe(lastGiven());
    await leave(steward.sql, grant, -60);
    provider.tokens.after = () => {};
    expect(await current(grant)).toBe(lastGiven());
    expect((await state(grant)).status).toBe('active');
  });

  it('loses against a disconnect: the caller gets an error, and no token stays valid at the provider', async () => {
    const grant = await expired();
    const liveBefore = provider.tokens.live;
    const door = gate();
    provider.tokens.after = door.wait;
    const call = refusal(current(grant));
    await door.reached();
    const [fresh] = provider.tokens.live.filter((token) => !liveBefore.includes(token));
    expect((await steward.call(`/auth/workspace/accounts/${grant.accountId}`, { method: 'DELETE', token: grant.token })).status).toBe(200);
    door.open();
    expect(await call).toMatchObject({ code: 'not_found' });
    await eventually(() => provider.revoked.includes(fresh ?? ''));
    expect(provider.tokens.live).not.toContain(fresh);
    await eventually(async () => expect(await steward.sql('select id from revocations')).toEqual([]));
  });

  it('loses against a disconnect, but a reconnect before the revocation keeps its tokens', async () => {
    const grant = await expired();
    const door = gate();
    provider.tokens.after = door.wait;
    provider.on('/revoke', (response) => void response.writeHead(503).end());
    const call = refusal(current(grant));
    await door.reached();
    await steward.call(`/auth/workspace/accounts/${grant.accountId}`, { method: 'DELETE', token: grant.token });
    door.open();
    await call;
    expect(await steward.sql('select id from revocations')).toHaveLength(2);
    const again = await connect({ token: grant.token, email: grant.email });
    const revokedBefore = provider.revoked.length;
    provider.reset();
    await eventually(async () => expect(await steward.sql('select id from revocations')).toEqual([]));
    expect(provider.revoked).toHaveLength(revokedBefore);
    expect(provider.issued).toContain(await current(again));
  });

  it('continues after all callers have aborted', async () => {
    const grant = await expired();
    const door = gate();
    provider.tokens.before = door.wait;
    // Nobody waits for it.
    void current(grant).catch(() => {});
    await door.reached();
    door.open();
    await eventually(async () => (await state(grant)).lease === null);
    const { result, asked } = await asking(() => current(grant));
    expect(result).toBe(lastGiven());
    expect(asked).toBe(0);
  });
});
