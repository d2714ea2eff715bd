import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { RunContext } from '../../../src/actions/shared/action.ts';
import type { Queryable } from '../../../src/database/database.ts';
import { selectUserAccounts } from '../../../src/executor/call/agent-accounts-repository.ts';
import { hasPostgres } from '../../support/database/postgres.ts';
import { WAITS_FOR_ROW } from '../../support/database/waits-for-row.ts';
import { ExecutorScene, rejectedWith } from '../../support/scenes/executor-scene.ts';
import { OF_TEST } from '../../support/sql/sent-statements.ts';
import { eventually } from '../../support/time/eventually.ts';
import { type ConnectedGrant, leave } from '../../support/users/refreshing.ts';

let scene: ExecutorScene;
let user: ConnectedGrant;
let statements: string[];
let sent: number;

beforeAll(async () => {
  scene = await ExecutorScene.start();
  scene.steward.context.db.observe({
    ...scene.steward.context.telemetry,
    statement: (sql, work) => {
      statements.push(sql);
      return work();
    },
  });
});

afterAll(() => scene.stop());

beforeEach(async () => {
  statements = [];
  scene.reset();
  sent = 0;
  scene.provider.on('/api/gmail/v1/users/me/profile', (response) => {
    sent += 1;
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  user = await scene.connect();
});

const profile = ({ session }: RunContext<'workspace'>) => session.call('gmail.users.getProfile', { userId: 'me' }, z.unknown());
const profileCall = () => scene.call(user, 'test.run');
const disconnect = () =>
  scene.steward.call(`/auth/workspace/accounts/${user.accountId}`, { method: 'DELETE', token: user.token }).then(({ status }) => {
    expect(status).toBe(200);
  });

/** How often the account's grant was read meanwhile. */
async function readingsOf(work: () => Promise<unknown>): Promise<number> {
  statements = [];
  await work();
  return statements.filter((name) => /^(user-accounts|refresh-(rows|lease))/.test(name)).length;
}

/** How often its token was refreshed. */
const refreshes = () => scene.provider.exchanges.filter((form) => form.get('grant_type') === 'refresh_token').length;

/** As another replica does: this one isn't told. */
const endConsent = (on: Pick<Queryable, 'query'> = scene.steward.context.db) =>
  on.query(`${OF_TEST}update grants set status = 'reauth_required' where id = $1`, [user.grantId]);

describe('a call', () => {
  it('reads account and token in one statement for each call', async () => {
    scene.work = (_input, context) => profile(context);
    await scene.call(user, 'test.run');
    expect(await readingsOf(() => scene.call(user, 'test.run'))).toBe(1);
    await disconnect();
    await rejectedWith(scene.call(user, 'test.run'), 'not_found');
    expect(sent).toBe(2);
  });

  it('does not use an account that was disconnected after its checks', async () => {
    scene.work = async (_input, context) => {
      await disconnect();
      return profile(context);
    };
    await rejectedWith(scene.call(user, 'test.run'), 'not_found');
    expect(sent).toBe(0);
  });

  it('reads the token again for every request to the provider', async () => {
    scene.work = async (_input, context) => {
      await profile(context);
      await disconnect();
      return profile(context);
    };
    await rejectedWith(scene.call(user, 'test.run'), 'not_found');
    expect(sent).toBe(1);
  });

  it('reads the token again when its own reading is no longer recent', async () => {
    scene.work = async (_input, context) => {
      await endConsent();
      await scene.steward.clock.advance(1_000);
      return profile(context);
    };
    await rejectedWith(profileCall(), 'reauth_required');
    expect(sent).toBe(0);
  });

  it.skipIf(!hasPostgres)('reads the token again when it is recorded first, because that may wait for a disconnect', async () => {
    scene.sending(200);
    const call = await scene.steward.context.db.transaction(async (tx) => {
      await tx.query('select 1 from users where id = $1 for update', [user.userId]);
      const sending = rejectedWith(scene.call(user, 'test.send', { to: ['someone@example.com'] }), 'reauth_required');
      await eventually(async () => (await scene.steward.sql(WAITS_FOR_ROW)).length > 0);
      await endConsent(tx);
      return { sending };
    });
    await call.sending;
    expect(scene.sent).toBe(0);
  });

  it('refreshes a token that is due before it is used', async () => {
    await leave(scene.steward.sql, user, -60);
    scene.work = (_input, context) => profile(context);
    const before = refreshes();
    expect(await readingsOf(profileCall)).toBe(2);
    expect([refreshes() - before, sent]).toEqual([1, 1]);
  });

  it('leases a token that its own reading found due, also if it was valid a moment ago', async () => {
    scene.work = (_input, context) => profile(context);
    await profileCall();
    await leave(scene.steward.sql, user, -60);
    const before = refreshes();
    expect(await readingsOf(profileCall)).toBe(2);
    expect([refreshes() - before, sent]).toEqual([1, 2]);
  });
});

describe('the statement of the accounts', () => {
  it('reads those of the provider that is called, or all, for each of several calls', async () => {
    const { userId } = user;
    const other = await scene.connect();
    const queries = [
      { userId, provider: 'bank' },
      { userId: other.userId, provider: 'workspace' },
      { userId, provider: 'workspace' },
      { userId, provider: undefined },
    ] as const;
    const found = await selectUserAccounts(scene.steward.context.db, scene.steward.clock, queries);
    expect(found.map(({ accounts }) => accounts.map(({ grantId }) => grantId))).toEqual([
      [],
      [other.grantId],
      [user.grantId],
      [user.grantId],
    ]);
    expect(found.map(({ grants }) => grants.map(({ id }) => id))).toEqual([[], [other.grantId], [user.grantId], [user.grantId]]);
  });

  it('is not planned again at each execution', async () => {
    const [session] = await scene.steward.context.db.transaction(async (tx) => {
      for (let execution = 0; execution < 12; execution += 1)
        await selectUserAccounts(tx, scene.steward.clock, [{ userId: user.userId, provider: 'workspace' }]);
      return tx.query<{ plans: string }>(`select custom_plans as plans from pg_prepared_statements where name like 'user-accounts%'`);
    });
    // PostgreSQL plans the first five, then compares (PREPARE, Notes).
    expect(Number(session?.plans)).toBeLessThanOrEqual(5);
  });
});

describe('what an action retains of its call', () => {
  it('ends with the call: its signal, and its requests', async () => {
    let kept: RunContext<'workspace'> | undefined;
    scene.work = async (_input, context) => {
      kept = context;
      return {};
    };
    await scene.call(user, 'test.run');
    expect(kept?.signal.aborted).toBe(true);
    await expect(profile(kept!)).rejects.toThrow();
    expect(sent).toBe(0);
  });
});
