import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usesEmbedded } from '../../../support/database/test-database.ts';
import { WorkspaceEmulator } from '../../../support/emulators/workspace-emulator.ts';
import { OF_TEST } from '../../../support/sql/sent-statements.ts';
import { startSteward, type TestSteward } from '../../../support/steward.ts';
import { eventually } from '../../../support/time/eventually.ts';
import { type ConnectedGrant, connectGrant, grantState, leave } from '../../../support/users/refreshing.ts';

const MANY = 12;

let provider: WorkspaceEmulator;
let steward: TestSteward;

beforeAll(async () => {
  provider = await new WorkspaceEmulator().start();
  steward = await startSteward({ ...provider.env });
});

afterAll(async () => {
  await steward.stop();
  await provider.stop();
});

const current = ({ userId, grantId }: ConnectedGrant) => steward.context.tokens.current(userId, grantId);

async function expired(count: number): Promise<ConnectedGrant[]> {
  const grants: ConnectedGrant[] = [];
  for (let index = 0; index < count; index += 1) grants.push(await connectGrant(steward, provider, steward.sql));
  for (const grant of grants) await leave(steward.sql, grant, -60);
  return grants;
}

/** Until it is opened, the provider delays every response. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const before = provider.tokens.asked.length;
  provider.tokens.before = () => promise;
  const open = () => {
    provider.tokens.before = () => {};
    resolve();
  };
  return { open, reachedBy: (count: number) => eventually(() => provider.tokens.asked.length >= before + count) };
}

describe('concurrent refreshes of many users', () => {
  it('return each its own token, with one exchange each', async () => {
    const grants = await expired(MANY);
    const before = provider.tokens.asked.length;
    const tokens = await Promise.all(grants.flatMap((grant) => [current(grant), current(grant)]));
    expect(provider.tokens.asked.length - before).toBe(MANY);
    expect(new Set(tokens).size).toBe(MANY);
    // Each grant has its own token.
    const replica = await Promise.all(grants.map((grant) => current(grant)));
    expect(replica.flatMap((token) => [token, token])).toEqual(tokens);
    for (const grant of grants)
      expect(await grantState(steward.sql, grant)).toMatchObject({
        status: 'active',
        lease: null,
        scopes: expect.arrayContaining(['openid']),
      });
    // A token stored for another grant would not refresh it.
    for (const grant of grants) await leave(steward.sql, grant, -60);
    const next = await Promise.all(grants.map(current));
    expect(new Set([...next, ...tokens]).size).toBe(2 * MANY);
  });

  it('are not affected by one whose account is disconnected meanwhile', async () => {
    const [gone, ...others] = (await expired(4)) as [ConnectedGrant, ...ConnectedGrant[]];
    const { open, reachedBy } = gate();
    const lost = current(gone).then(
      () => 'served',
      ({ code }) => code,
    );
    const served = others.map(current);
    await reachedBy(4);
    await steward.call(`/auth/workspace/accounts/${gone.accountId}`, { method: 'DELETE', token: gone.token });
    open();
    expect(new Set(await Promise.all(served)).size).toBe(3);
    expect(await lost).toBe('not_found');
  });

  // The embedded database has one connection, so no other transaction can lock a row.
  it.skipIf(usesEmbedded())('do not wait for one whose row is locked', async () => {
    const grants = await expired(MANY);
    // In the middle: the tokens of the first are stored by statements of their own, those of later ones together.
    const held = grants[MANY / 2] as ConnectedGrant;
    const { open, reachedBy } = gate();
    const calls = new Map(grants.map((grant) => [grant, current(grant)]));
    const late = calls.get(held) as Promise<string>;
    const served = grants.filter((grant) => grant !== held).map((grant) => calls.get(grant));
    await reachedBy(MANY);
    const release = Promise.withResolvers<void>();
    const holding = steward.context.db.transaction(async (tx) => {
      await tx.query(`${OF_TEST}select id from grants where id = $1 for update`, [held.grantId]);
      open();
      await release.promise;
    });
    expect(new Set(await Promise.all(served)).size).toBe(MANY - 1);
    // Its tokens are about to be stored.
    const waiting = `select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%grants%'`;
    await eventually(async () => (await steward.sql(waiting)).length > 0);
    release.resolve();
    await holding;
    expect(provider.tokens.given).toContain(await late);
  });
});
