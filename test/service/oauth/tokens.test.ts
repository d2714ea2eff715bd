import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteExpiredRows } from '../../../src/database/retention.ts';
import { deleteOldResponses } from '../../../src/oauth/entries/entries-repository.ts';
import type { FormBrowser } from '../../support/browser/browser.ts';
import { hasPostgres } from '../../support/database/postgres.ts';
import { newName } from '../../support/scenes/flows.ts';
import { Authorization, authorized, newClient, refresh, revoke, usedEarlier } from '../../support/scenes/oauth-scene.ts';
import { serviceAt, startSteward, type TestSteward } from '../../support/steward.ts';
import { withDate } from '../../support/time/machine-date.ts';
import { sessionOf } from '../../support/users/sign-in.ts';

const REFUSED = { status: 400, body: { error: 'invalid_grant' } };
const ENDED = { code: 'invalid_token' };

let steward: TestSteward;
beforeAll(async () => {
  steward = await startSteward({ LIMIT_OAUTH_REGISTRATIONS_PER_MINUTE: '1000' });
});
afterAll(() => steward.stop());

const browserOf = async (user = newName()): Promise<FormBrowser> => sessionOf(steward, await steward.signIn(user));
const authenticate = (token: string) => steward.context.authenticateClient(token);
const hashOf = (secret: string) => createHash('sha256').update(secret).digest();

/** Lets an entry expire. */
const expire = (secret: string) =>
  steward.sql(`update oauth_entries set expires_at = now() - interval '1 second' where id_hash = $1`, [hashOf(secret)]);

describe('a code', () => {
  it('is accepted once: the second use ends the grant', async () => {
    const authorization = new Authorization(await newClient(steward), await browserOf());
    const code = await authorization.code();
    const { body } = await authorization.exchange(steward, code);
    const { userId } = await authenticate(body.access_token);
    expect(await authorization.exchange(steward, code)).toMatchObject(REFUSED);
    await expect(authenticate(body.access_token)).rejects.toMatchObject(ENDED);
    expect(await refresh(steward, authorization.client, body.refresh_token)).toMatchObject(REFUSED);
    expect((await steward.context.clientGrants.list(userId))[0]?.revokedAt).not.toBeNull();
  });

  it('used twice at the same moment is accepted once, and ends the grant', async () => {
    const authorization = new Authorization(await newClient(steward), await browserOf());
    const code = await authorization.code();
    const both = await Promise.all([authorization.exchange(steward, code), authorization.exchange(steward, code)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    const { access_token: token } = both.find(({ status }) => status === 200)?.body ?? {};
    await expect(authenticate(token)).rejects.toMatchObject(ENDED);
  });

  it.each([
    ['no verifier', { code_verifier: '' }, 'invalid_grant'],
    ['another verifier', { code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
    ['a short verifier', { code_verifier: 'x' }, 'invalid_request'],
    ['another redirect URI', { redirect_uri: 'https://app.example.com/callback/' }, 'invalid_grant'],
    ['no redirect URI', { redirect_uri: '' }, 'invalid_request'],
    ['a foreign resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['another grant type', { grant_type: 'client_credentials' }, 'unsupported_grant_type'],
  ])('with %s is rejected', async (_what, more, error) => {
    const authorization = new Authorization(await newClient(steward), await browserOf());
    const code = await authorization.code();
    expect(await authorization.exchange(steward, code, more)).toMatchObject({ status: 400, body: { error } });
  });

  it('of another client, and an expired one, are rejected', async () => {
    const authorization = new Authorization(await newClient(steward), await browserOf());
    const code = await authorization.code();
    const { client_id } = await newClient(steward);
    expect(await authorization.exchange(steward, code, { client_id })).toMatchObject(REFUSED);
    await expire(code);
    expect(await authorization.exchange(steward, code)).toMatchObject(REFUSED);
  });
});

describe('a refresh token', () => {
  it('used again after ten seconds ends the grant, with the tokens that followed', async () => {
    const { client, tokens } = await authorized(steward, await browserOf());
    const next = await refresh(steward, client, tokens.refresh_token);
    const { userId } = await authenticate(next.body.access_token);
    await usedEarlier(steward.sql, tokens.refresh_token);
    expect(await refresh(steward, client, tokens.refresh_token)).toMatchObject(REFUSED);
    await expect(authenticate(next.body.access_token)).rejects.toMatchObject(ENDED);
    expect(await refresh(steward, client, next.body.refresh_token)).toMatchObject(REFUSED);
    expect((await steward.context.clientGrants.list(userId))[0]?.revokedAt).not.toBeNull();
  });

  it('used again within ten seconds gives the same response, also when the new token was used meanwhile', async () => {
    const { client, tokens } = await authorized(steward, await browserOf());
    const first = await refresh(steward, client, tokens.refresh_token);
    await usedEarlier(steward.sql, tokens.refresh_token, 4);
    expect(await refresh(steward, client, tokens.refresh_token)).toMatchObject({ status: 200, body: first.body });
    const next = await refresh(steward, client, first.body.refresh_token);
    expect(next.status).toBe(200);
    expect(await refresh(steward, client, tokens.refresh_token)).toMatchObject({ status: 200, body: first.body });
    await authenticate(next.body.access_token);
  });

  it('gives no second response once the user has revoked the access', async () => {
    const { client, tokens } = await authorized(steward, await browserOf());
    const { body } = await refresh(steward, client, tokens.refresh_token);
    const { userId, clientId } = await authenticate(body.access_token);
    await steward.context.clientGrants.revoke(userId, clientId as string);
    expect(await refresh(steward, client, tokens.refresh_token)).toMatchObject(REFUSED);
  });

  it('of another client is rejected, and stays valid', async () => {
    const { client, tokens } = await authorized(steward, await browserOf());
    const other = await newClient(steward);
    expect(await refresh(steward, other, tokens.refresh_token)).toMatchObject(REFUSED);
    expect((await revoke(steward, other, tokens.refresh_token)).status).toBe(200);
    expect((await refresh(steward, client, tokens.refresh_token)).status).toBe(200);
  });

  it('gets no other resource, for which it is not used up, and no more scope', async () => {
    const { client, tokens } = await authorized(steward, await browserOf());
    const resource = 'https://other.example/mcp';
    expect(await refresh(steward, client, tokens.refresh_token, { resource })).toMatchObject({ body: { error: 'invalid_target' } });
    expect(await refresh(steward, client, tokens.refresh_token, { scope: 'read write' })).toMatchObject({ body: { scope: 'read' } });
  });

  it('is rejected once the user has revoked the access, or it has expired', async () => {
    const { client, tokens } = await authorized(steward, await browserOf());
    const { userId, clientId } = await authenticate(tokens.access_token);
    await steward.context.clientGrants.revoke(userId, clientId as string);
    await expect(authenticate(tokens.access_token)).rejects.toMatchObject(ENDED);
    expect(await refresh(steward, client, tokens.refresh_token)).toMatchObject(REFUSED);
    const second = await authorized(steward, await browserOf());
    const principal = await authenticate(second.tokens.access_token);
    await steward.sql(`update client_grants set expires_at = now() where id = $1`, [principal.clientId]);
    await expect(authenticate(second.tokens.access_token)).rejects.toMatchObject(ENDED);
    expect(await refresh(steward, second.client, second.tokens.refresh_token)).toMatchObject(REFUSED);
  });

  it('is rejected for a user whom the operator does not admit any more', async () => {
    const strict = await startSteward();
    const { client, tokens } = await authorized(strict, await sessionOf(strict, await strict.signIn('ada')));
    const restarted = await strict.restart({ ALLOWED_USERS: 'elsewhere.example', PUBLIC_URL: strict.url });
    const at = serviceAt(restarted.address);
    expect(await refresh(at, client, tokens.refresh_token)).toMatchObject(REFUSED);
    await expect(restarted.context.authenticateClient(tokens.access_token)).rejects.toMatchObject({ code: 'forbidden' });
    await restarted.stop();
  });

  it('ends with its user', async () => {
    const name = newName();
    const token = await steward.signIn(name);
    const { client, tokens } = await authorized(steward, await sessionOf(steward, token));
    expect((await steward.call('/user', { method: 'DELETE', token })).status).toBe(200);
    expect(await refresh(steward, client, tokens.refresh_token)).toMatchObject(REFUSED);
    await expect(authenticate(tokens.access_token)).rejects.toMatchObject(ENDED);
  });
});

describe('an access token', () => {
  it('is neither a refresh token, nor a code, nor for another resource, nor expired', async () => {
    const authorization = new Authorization(await newClient(steward), await browserOf());
    const code = await authorization.code();
    const { body } = await authorization.exchange(steward, code);
    for (const other of [body.refresh_token, code, '', 'x', `${body.access_token}x`, body.access_token.slice(1)]) {
      await expect(authenticate(other), other).rejects.toMatchObject(ENDED);
    }
    expect(await refresh(steward, authorization.client, body.access_token)).toMatchObject(REFUSED);
    // Nor when their rows look like it.
    for (const other of [body.refresh_token, code]) {
      await steward.sql('update oauth_entries set audience = $2 where id_hash = $1', [hashOf(other), `${steward.url}/mcp`]);
      await expect(authenticate(other)).rejects.toMatchObject(ENDED);
    }
    await steward.sql(`update oauth_entries set audience = 'https://other.example/mcp' where id_hash = $1`, [hashOf(body.access_token)]);
    await expect(authenticate(body.access_token)).rejects.toMatchObject(ENDED);
    await steward.sql('update oauth_entries set audience = $2 where id_hash = $1', [hashOf(body.access_token), `${steward.url}/mcp`]);
    await authenticate(body.access_token);
    await expire(body.access_token);
    await expect(authenticate(body.access_token)).rejects.toMatchObject(ENDED);
  });

  it('is of one user only', async () => {
    const [first, second] = [await authorized(steward, await browserOf()), await authorized(steward, await browserOf())];
    const [one, other] = [await authenticate(first.tokens.access_token), await authenticate(second.tokens.access_token)];
    expect(one.userId).not.toBe(other.userId);
    await steward.sql('update oauth_entries set user_id = $2 where id_hash = $1', [hashOf(first.tokens.access_token), other.userId]);
    await expect(authenticate(first.tokens.access_token)).rejects.toMatchObject(ENDED);
  });

  it('is no credential of the rest of the service', async () => {
    const { tokens } = await authorized(steward, await browserOf());
    for (const path of ['/tokens', '/approvals', '/user/export', '/user/audit']) {
      expect((await steward.call(path, { token: `Bearer ${tokens.access_token}` })).status, path).toBe(401);
    }
    expect((await steward.call('/agents/mail.search', { token: tokens.access_token, body: '{}', method: 'POST' })).status).toBe(401);
  });

  it('alone can be revoked', async () => {
    const { client, tokens } = await authorized(steward, await browserOf());
    await revoke(steward, client, tokens.access_token);
    await expect(authenticate(tokens.access_token)).rejects.toMatchObject(ENDED);
    expect((await refresh(steward, client, tokens.refresh_token)).status).toBe(200);
  });

  it('expires with its grant', async () => {
    const { client, tokens } = await authorized(steward, await browserOf(), (fields) => fields.set('days', '1'));
    const { clientId } = await authenticate(tokens.access_token);
    await steward.sql(`update client_grants set expires_at = now() + interval '100 seconds' where id = $1`, [clientId]);
    const { body } = await refresh(steward, client, tokens.refresh_token);
    expect(body.expires_in).toBeLessThanOrEqual(100);
    const rows = await steward.sql<{ left: number }>(
      'select extract(epoch from max(expires_at) - now())::int as left from oauth_entries where id_hash = any($1)',
      [[hashOf(body.access_token), hashOf(body.refresh_token)]],
    );
    expect(rows[0]?.left).toBeLessThanOrEqual(100);
  });
});

describe('entries', () => {
  it.skipIf(!hasPostgres)('are judged by the database’s clock', async () => {
    const { client, tokens } = await authorized(steward, await browserOf());
    const authorization = new Authorization(client, await browserOf());
    const consent = await authorization.begin();
    let refreshToken = tokens.refresh_token;
    for (const minutes of [-10, 10]) {
      const next = await withDate(minutes * 60_000, () => refresh(steward, client, refreshToken));
      expect(next.body).toMatchObject({ expires_in: 3600 });
      refreshToken = next.body.refresh_token;
      await authenticate(next.body.access_token);
    }
    const back = await withDate(-600_000, () => authorization.decide(consent));
    const exchanged = await withDate(600_000, () => authorization.exchange(steward, back.searchParams.get('code') as string));
    expect(exchanged.status).toBe(200);
  });

  it('of refresh tokens keep no response for longer than it is repeated', async () => {
    const { client, tokens } = await authorized(steward, await browserOf());
    await refresh(steward, client, tokens.refresh_token);
    const isKept = async () => {
      await deleteOldResponses(steward.context.db);
      const rows = await steward.sql<{ kept: boolean }>('select response is not null as kept from oauth_entries where id_hash = $1', [
        hashOf(tokens.refresh_token),
      ]);
      return rows[0]?.kept;
    };
    expect(await isKept()).toBe(true);
    await usedEarlier(steward.sql, tokens.refresh_token);
    expect(await isKept()).toBe(false);
  });

  it('of revoked grants and expired ones are deleted by the sweep', async () => {
    const { tokens } = await authorized(steward, await browserOf());
    const { userId, clientId } = await authenticate(tokens.access_token);
    const kept = await authorized(steward, await browserOf());
    await steward.context.clientGrants.revoke(userId, clientId as string);
    await deleteExpiredRows(steward.context.db, 'oauth_entries');
    expect(await steward.sql('select 1 from oauth_entries where user_id = $1', [userId])).toEqual([]);
    await authenticate(kept.tokens.access_token);
  });
});
