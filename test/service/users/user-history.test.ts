import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { maintainPartitions, partitionNames } from '../../../src/database/partitions.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { sweepErasures, walkErasure } from '../../../src/users/erasures.ts';
import { CHUNK, walkedTables } from '../../../src/users/erasures-repository.ts';
import { metricsUrl, Scrape } from '../../support/processes/metrics.ts';
import { ExecutorScene } from '../../support/scenes/executor-scene.ts';
import { sweepToEnd, unschedule } from '../../support/scenes/flows.ts';
import { eventually } from '../../support/time/eventually.ts';
import { expectError } from '../../support/users/expect-error.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';

const AUDIT_ROWS = 20_000;
const STEP = 5_000;
const EVENTS = 5_500;
const KEYS = 2_500;
const HISTORY = ['audit_log', 'events', 'idempotency_keys', 'approvals'];

let scene: ExecutorScene;
let sql: ExecutorScene['steward']['sql'];
let user: ConnectedGrant;

beforeAll(async () => {
  scene = await ExecutorScene.start({ METRICS_PORT: '0' });
  ({ sql } = scene.steward);
  // Without the scheduled job, each test knows when rows are deleted.
  await unschedule(sql, 'erase');
  // Number of rows of each deleting statement.
  await sql('create table deleting (table_name text, rows bigint)');
  await sql(`create function note_deleting() returns trigger language plpgsql as
             $$ begin insert into deleting select tg_table_name, count(*) from gone; return null; end $$`);
  // Rows of partitioned tables are deleted from their partitions.
  const { db } = scene.steward.context;
  await maintainPartitions(db, createLogger('silent'));
  for (const table of [...HISTORY, ...(await partitionNames(db, 'audit_log')), ...(await partitionNames(db, 'events'))]) {
    await sql(`create trigger ${table}_deleting after delete on ${table} referencing old table as gone
               for each statement execute function note_deleting()`);
  }
});

afterAll(() => scene.stop());

beforeEach(async () => {
  scene.reset();
  user = await scene.connect();
  await sql('delete from deleting');
});

async function fill({ userId }: ConnectedGrant): Promise<void> {
  for (let from = 0; from < AUDIT_ROWS; from += STEP) {
    await sql(
      `insert into audit_log (user_id, surface, action, decision, outcome, milliseconds, call_id)
       select $1, 'socket', 'many', 'allowed', 'ok', n, gen_random_uuid() from generate_series(1, ${STEP}) n`,
      [userId],
    );
  }
  await sql(`insert into events (user_id, seq, event, data) select $1, 1000 + n, 'many', '{}' from generate_series(1, ${EVENTS}) n`, [
    userId,
  ]);
  await sql(
    `insert into idempotency_keys (user_id, asker, call_id, action, key, arguments_hash, running_until)
     select $1, 'user', gen_random_uuid(), 'many', n::text, '\\x00', now() from generate_series(1, ${KEYS}) n`,
    [userId],
  );
}

/** How many tables are looked at before the first with rows of the user: partitions of earlier months. */
async function emptyTables({ userId }: ConnectedGrant): Promise<number> {
  let empty = 0;
  for (const { table } of await walkedTables(scene.steward.context.db)) {
    if ((await sql(`select 1 from ${table} where user_id = $1 limit 1`, [userId])).length > 0) break;
    empty += 1;
  }
  return empty;
}

async function left({ userId }: ConnectedGrant): Promise<number> {
  let rows = 0;
  for (const table of HISTORY) {
    const [counted] = await sql<{ count: number }>(`select count(*)::int as count from ${table} where user_id = $1`, [userId]);
    rows += counted?.count ?? 0;
  }
  return rows;
}

const erase = ({ token }: ConnectedGrant) => scene.steward.call('/user', { method: 'DELETE', token });
const mostAtOnce = async () => (await sql<{ most: number }>('select max(rows)::int as most from deleting'))[0]?.most;

/** The work of the scheduled job. */
const sweep = () => sweepErasures(scene.steward.context.db);

describe('a user with a long history', () => {
  it('is deleted by the first, short transaction, and the history after it, a bounded number of rows per statement', async () => {
    await fill(user);
    expect((await erase(user)).body).toEqual({ success: true });
    // All keys and visible data are deleted.
    for (const table of ['users', 'user_keys', 'grants', 'workspace_accounts', 'oauth_flows', 'browser_bindings']) {
      const column = table === 'users' ? 'id' : 'user_id';
      expect(await sql(`select 1 from ${table} where ${column} = $1`, [user.userId]), table).toEqual([]);
    }
    expectError(await scene.steward.call('/user/audit', { token: user.token }), 'invalid_token');
    expect(await left(user)).toBeGreaterThan(AUDIT_ROWS / 2);
    const scrape = await Scrape.of(metricsUrl(scene.steward));
    expect(scrape.value('steward_erasures_open')).toBe(1);

    await sweep();
    expect(await left(user)).toBe(0);
    expect(await sql('select 1 from erasures where user_id = $1 and clean_at is not null', [user.userId])).toHaveLength(1);
    expect(await mostAtOnce()).toBeLessThanOrEqual(CHUNK);
  });

  it('an interrupted erasure continues with the remaining rows', async () => {
    await fill(user);
    await erase(user);
    const before = await left(user);
    const empty = await emptyTables(user);
    let looks = 0;
    const isOver = () => {
      looks += 1;
      return looks > empty + 3;
    };
    expect(await walkErasure(scene.steward.context.db, user.userId, { isOver })).toBe(false);
    expect(await left(user)).toBe(before - 3 * CHUNK);
    expect(await sql('select 1 from erasures where user_id = $1 and clean_at is null', [user.userId])).toHaveLength(1);
    expect(await walkErasure(scene.steward.context.db, user.userId)).toBe(true);
    expect(await left(user)).toBe(0);
  });

  it('rows that a call writes after the deletion are deleted, too', async () => {
    await erase(user);
    const write = () =>
      sql(
        `insert into audit_log (user_id, surface, action, decision, outcome, milliseconds, call_id)
         values ($1, 'socket', 'late', 'allowed', 'ok', 1, gen_random_uuid())`,
        [user.userId],
      );
    await write();
    await sweep();
    await eventually(async () => expect(await left(user)).toBe(0));
    await write();
    // Ten minutes later. Once more if the first sweep noted its end, and with it the next time, only after this.
    await eventually(async () => {
      await sql('update erasures set try_after = now() where user_id = $1', [user.userId]);
      await sweep();
      return (await left(user)) === 0;
    });
  });

  it('rows that are written late are looked for during an hour', async () => {
    await erase(user);
    const isLookedForAgain = async (age: string) => {
      await sql('update erasures set deleted_at = now() - $2::interval, try_after = now() where user_id = $1', [user.userId, age]);
      await sweep();
      return sql(`select try_after < 'infinity' as again from erasures where user_id = $1`, [user.userId]);
    };
    expect(await isLookedForAgain('59 minutes')).toEqual([{ again: true }]);
    expect(await isLookedForAgain('61 minutes')).toEqual([{ again: false }]);
  });

  it('leaves no rows if an older release deletes the user only', async () => {
    await fill(user);
    await sql('delete from users where id = $1', [user.userId]);
    await sweep();
    await eventually(async () => expect(await left(user)).toBe(0));
    expect(await mostAtOnce()).toBeLessThanOrEqual(CHUNK);
  });

  it('can sign in again immediately, as a new user without that history', async () => {
    const { issuer, subject } = (
      await sql<{ issuer: string; subject: string }>('select issuer, subject from users where id = $1', [user.userId])
    )[0] as {
      issuer: string;
      subject: string;
    };
    await fill(user);
    await erase(user);
    await sql('insert into users (issuer, subject) values ($1, $2)', [issuer, subject]);
    const [again] = await sql<{ id: string }>('select id from users where subject = $1', [subject]);
    expect(again?.id).not.toBe(user.userId);
    await sql(
      `insert into audit_log (user_id, surface, action, decision, outcome, milliseconds, call_id)
               values ($1, 'socket', 'new', 'allowed', 'ok', 1, gen_random_uuid())`,
      [again?.id],
    );
    await sweep();
    await eventually(async () => expect(await left(user)).toBe(0));
    expect(await sql('select action from audit_log where user_id = $1', [again?.id])).toEqual([{ action: 'new' }]);
  });
});

describe('retention', () => {
  it('deletes all expired rows in one run, a bounded number per statement', async () => {
    await fill(user);
    await sql(`update audit_log set at = now() - interval '401 days'`);
    await sql(`update events set created_at = now() - interval '25 hours' where user_id = $1 and event = 'many'`, [user.userId]);
    await sql(`update idempotency_keys set created_at = now() - interval '25 hours' where user_id = $1`, [user.userId]);
    await sweepToEnd(scene.steward);
    expect(await sql(`select 1 from events where event = 'many' limit 1`)).toEqual([]);
    expect(await sql(`select 1 from audit_log where action = 'many' limit 1`)).toEqual([]);
    expect(await mostAtOnce()).toBeLessThanOrEqual(5_000);
  });
});
