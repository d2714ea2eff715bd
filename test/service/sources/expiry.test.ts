import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ownIntegrations } from '../../support/inputs/own-integrations.ts';
import { sourceFile } from '../../support/inputs/source-file.ts';
import { newName, outcome } from '../../support/scenes/flows.ts';
import { connectSource, sourceAccounts } from '../../support/scenes/source-flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { TestClock } from '../../support/time/test-clock.ts';
import { callAction } from '../../support/users/agents.ts';

const USES = 512;
/** At once over the sockets of one user. */
const CALLS = 64;
/** They may take any time: each call's limit is 30 seconds. */
const PACE = 1 / 20;

let steward: TestSteward;
let token: string;
let id: string;

beforeAll(async () => {
  const file = sourceFile('{ url: sandbox, label: Tickets }', 'count: { tool: count_tickets, effect: read, policy: { rate: 10000/min } }');
  const limits = { LIMIT_USER_REQUESTS_PER_MINUTE: '100000', LIMIT_REQUESTS_PER_MINUTE: '100000' };
  steward = await startSteward({ INTEGRATIONS_FILE: ownIntegrations(file), ...limits }, { clock: new TestClock({ pace: PACE }) });
});

afterAll(() => steward.stop());

beforeEach(async () => {
  token = await steward.signIn(newName());
  id = outcome((await connectSource(steward, { token })).callback).account_id ?? '';
  await eventually(async () => (await sourceAccounts(steward, token))[0]?.tools.allowed === 1);
});

const call = () => callAction(steward, 'tickets.count', { by: 'status' }, { token });
const status = async () => (await sourceAccounts(steward, token)).find((account) => account.id === id)?.status;
/** Access tokens of the tracker that are valid. */
const valid = async () => {
  const { tokens } = await steward.control('tickets/state');
  return tokens.reduce((sum: number, { access_tokens: count }: { access_tokens: number }) => sum + count, 0);
};

describe('an access token that expires', () => {
  it(`is renewed once for ${USES} uses at that moment`, async () => {
    const { tokens } = steward.context;
    const [grant] = await steward.sql<{ userId: string; grantId: string }>(
      'select user_id as "userId", grant_id as "grantId" from source_accounts where id = $1',
      [id],
    );
    const { userId, grantId } = grant as { userId: string; grantId: string };
    const expired = await tokens.current(userId, grantId);
    await steward.control('tickets/tokens/expire', {});
    expect(await valid()).toBe(0);
    const uses = Array.from({ length: USES }, () => tokens.renewed(userId, grantId, expired));
    const calls = Array.from({ length: CALLS }, call);
    expect(new Set(await Promise.all(uses)).size).toBe(1);
    await Promise.all(calls);
    expect(await valid()).toBe(1);
    expect(await status()).toBe('active');
  });

  it(`is renewed once for ${USES} calls at that moment, none of which fails`, async () => {
    const { executor } = steward.context;
    const [account] = await steward.sql<{ userId: string }>('select user_id as "userId" from source_accounts where id = $1', [id]);
    const user = { userId: account?.userId ?? '' };
    const { signal } = new AbortController();
    const invocation = { user, surface: 'socket', action: 'tickets.count', input: { by: 'status' }, signal };
    const refreshes = async () => (await steward.control('state')).calls.tickets?.refreshes ?? 0;
    const before = await refreshes();
    await steward.control('tickets/tokens/expire', {});
    const ends = await Promise.allSettled(Array.from({ length: USES }, () => executor.invoke(invocation)));
    expect(ends.filter((end) => end.status === 'rejected')).toEqual([]);
    expect(await refreshes()).toBe(before + 1);
    expect(await valid()).toBe(1);
    expect(await status()).toBe('active');
  });

  it('with a refresh token that is refused needs its user, after one try', async () => {
    await call();
    await steward.control('tickets/tokens/expire', { refresh: true });
    await expect(call()).rejects.toMatchObject({ code: 'reauth_required' });
    expect(await status()).toBe('reauth_required');
    expect((await steward.call('/integrations', { token })).body.sources.tickets.needs_attention).toBe(1);
    await connectSource(steward, { token, form: { account_id: id } });
    await expect(call()).resolves.toMatchObject({ meta: { accountId: id } });
  });
});
