import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROVIDERS } from '../../../src/providers/providers.ts';
import { ownIntegrations } from '../../support/inputs/own-integrations.ts';
import { newName } from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { toyDescriptor } from '../../support/toy-provider/toy-descriptor.ts';
import { startToyServer, type ToyServer } from '../../support/toy-provider/toy-server.ts';
import { callAction } from '../../support/users/agents.ts';
import { leave } from '../../support/users/refreshing.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

const MIGRATION = readFileSync(new URL('../../support/toy-provider/toy-accounts.sql', import.meta.url), 'utf8');
const FILE = `version: 1
agents:
  notes:
    provider: toy
    description: Notes.
    areas: [notes]
    actions:
      list:
        call: notes.list
        description: Notes about something.
        effect: read
        input: { type: object, required: [about], properties: { about: { type: string } } }
        with: { about: $input.about }
`;

let toy: ToyServer;
let steward: TestSteward;

beforeAll(async () => {
  toy = await startToyServer();
  // The one line of a release: the descriptor in the list.
  steward = await startSteward({ INTEGRATIONS_FILE: ownIntegrations(FILE) }, { providers: [...PROVIDERS, toyDescriptor(toy.url)] });
  await steward.sql(MIGRATION);
});

afterAll(async () => {
  await steward.stop();
  toy.close();
});

interface Connected {
  token: string;
  userId: string;
  grantId: string;
  accountId: string;
  accessToken: string;
  refreshToken: string;
}

/** What the provider's own feature does once its flow has received tokens. */
async function connect(scopes = ['notes']): Promise<Connected> {
  const name = newName();
  const token = await steward.signIn(name);
  await steward.call('/integrations', { token });
  const [user] = await steward.sql<{ id: string }>('select id from users order by created_at desc limit 1');
  const userId = user?.id ?? '';
  const tokens = toy.issue();
  const accountId = randomUUID();
  const { grants, db } = steward.context;
  const grantId = await db.transaction(async (tx) => {
    const expiresAt = new Date(steward.clock.now() + 3_600_000);
    const { id } = await grants.store(tx, { userId, provider: 'toy', subject: name, tokens, scopes, expiresAt });
    await tx.query('insert into toy_accounts (id, grant_id, user_id, nickname) values ($1, $2, $3, $4)', [accountId, id, userId, name]);
    return id;
  }, userId);
  return { token, userId, grantId, accountId, ...tokens };
}

const list = ({ token }: Connected) => callAction(steward, 'notes.list', { about: 'tea' }, { token });

describe('a provider of one folder and one line', () => {
  it('is listed with its accounts and actions', async () => {
    const user = await connect();
    const status = await steward.call('/integrations', { token: user.token });
    expect(status.body).toMatchObject({ toy: { connected: true, needs_attention: 0 }, bank: { connected: false } });
    const client = await SocketClient.signedIn(steward.url, user.token);
    const { data } = await client.request({ type: 'list' });
    expect(data.agents).toMatchObject([{ name: 'notes', provider: 'toy', accounts: [{ id: user.accountId }] }]);
    client.close();
  });

  it('is called with the account’s own token', async () => {
    const user = await connect();
    const result = await list(user);
    expect(result.data).toEqual({ notes: ['a note about tea'], bearer: user.accessToken });
    expect(result.meta.accountId).toBe(user.accountId);
  });

  it('refreshes a token that has expired, once for all callers, and one that was rejected', async () => {
    const user = await connect();
    await leave(steward.sql, user, -60);
    const results = await Promise.all([list(user), list(user), list(user)]);
    const tokens = new Set(results.map(({ data }) => (data as { bearer: string }).bearer));
    expect(tokens.size).toBe(1);
    expect(tokens).not.toContain(user.accessToken);
    expect(toy.refreshed.filter((used) => used === user.refreshToken)).toHaveLength(1);
    const [second = ''] = tokens;
    toy.expire(second);
    expect((await list(user)).data).not.toHaveProperty('bearer', second);
  });

  it('requires the scopes that the action needs', async () => {
    const user = await connect([]);
    await expect(list(user)).rejects.toMatchObject({ code: 'missing_scopes', details: { missingScopes: ['notes'] } });
  });

  it('asks the user to reconnect when the provider has ended the consent', async () => {
    const user = await connect();
    toy.expire(user.refreshToken);
    await leave(steward.sql, user, -60);
    await expect(list(user)).rejects.toMatchObject({ code: 'reauth_required' });
    const status = await steward.call('/integrations', { token: user.token });
    expect(status.body.toy).toEqual({ connected: true, needs_attention: 1 });
    const events = await steward.sql<{ data: object }>(`select data from events where user_id = $1 and event = 'account.status'`, [
      user.userId,
    ]);
    expect(events).toMatchObject([{ data: { account: user.accountId, provider: 'toy', status: 'reauth_required' } }]);
  });

  it('revokes the tokens of a disconnected account', async () => {
    const user = await connect();
    const { grants, db } = steward.context;
    await db.transaction((tx) => grants.end(tx, user.userId, user.grantId), user.userId);
    await expect(list(user)).rejects.toMatchObject({ code: 'not_found' });
    await eventually(() => toy.revoked.includes(user.refreshToken));
  });

  it('revokes the tokens of a deleted user', async () => {
    const user = await connect();
    expect((await steward.call('/user', { method: 'DELETE', token: user.token })).status).toBe(200);
    await eventually(() => toy.revoked.includes(user.refreshToken));
  });
});
