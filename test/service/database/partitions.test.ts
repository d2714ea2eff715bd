import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addMonth, maintainPartitions, partitionNames } from '../../../src/database/partitions.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { walkErasure } from '../../../src/users/erasures.ts';
import { ExecutorScene } from '../../support/scenes/executor-scene.ts';
import { sweepNow, unschedule } from '../../support/scenes/flows.ts';
import { eventually } from '../../support/time/eventually.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';

const TABLES = ['audit_log', 'events'] as const;
const AHEAD = 3;

let scene: ExecutorScene;
let sql: ExecutorScene['steward']['sql'];
let user: ConnectedGrant;
/** When the test began, by the database's clock, whose month may end before the test does. */
let now: Date;

beforeAll(async () => {
  scene = await ExecutorScene.start();
  ({ sql } = scene.steward);
  await unschedule(sql, 'sweep');
  await unschedule(sql, 'erase');
});
afterAll(() => scene.stop());
beforeEach(async () => {
  await removeMonths();
  now = await databaseTime();
  user = await scene.connect();
});

async function databaseTime(): Promise<Date> {
  const [row] = await sql<{ now: Date }>('select now() as now');
  return row!.now;
}

const logger = createLogger('silent');
const db = () => scene.steward.context.db;
/** @param at by the clock of this process */
const maintain = (at = now) => maintainPartitions(db(), logger, { now: () => at.getTime() });

function monthsFromNow(months: number): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months));
}

const monthOf = (time: Date) => new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth()));
const nameOf = (table: string, month: Date) => `${table}_${month.toISOString().slice(0, 7).replace('-', '_')}`;

/** Without rows, and without months. */
async function removeMonths(): Promise<void> {
  for (const table of TABLES) {
    await sql(`truncate ${table}`);
    for (const name of await partitionNames(db(), table)) if (/\d$/.test(name)) await sql(`drop table ${name}`);
  }
}

/** A row of the audit log, and where it is stored. */
async function addRow(at: Date, { userId }: Pick<ConnectedGrant, 'userId'> = user, action = 'x'): Promise<string> {
  const rows = await sql<{ partition: string }>(
    `insert into audit_log (user_id, at, surface, action, decision, outcome, milliseconds, call_id)
     values ($1, $2, 'socket', $3, 'allowed', 'ok', 1, gen_random_uuid()) returning tableoid::regclass::text as partition`,
    [userId, at, action],
  );
  return rows[0]?.partition ?? '';
}

async function addEvent(at: Date, seq: number): Promise<string> {
  const rows = await sql<{ partition: string }>(
    `insert into events (user_id, seq, event, data, created_at) values ($1, $2, 'x', '{}', $3) returning tableoid::regclass::text as partition`,
    [user.userId, seq, at],
  );
  return rows[0]?.partition ?? '';
}

const lastDays = (month: Date) => new Date(month.getTime() + 27 * 86_400_000);

describe('partitions of the next months', () => {
  const wanted = (table: string) =>
    [...Array.from({ length: AHEAD + 1 }, (_, months) => nameOf(table, monthsFromNow(months))), `${table}_default`].sort();

  it.each(TABLES)('of %s are added ahead, once, also if several replicas do it at the same time', async (table) => {
    const lists: string[][] = [];
    // Again if a month has just ended.
    do {
      await removeMonths();
      now = await databaseTime();
      lists.length = 0;
      await Promise.all([maintain(), maintain(), maintain()]);
      for (let times = 0; times < 2; times += 1) {
        // A replica that finds another at work leaves it to that one.
        await maintain();
        lists.push((await partitionNames(db(), table)).sort());
      }
    } while (monthOf(await databaseTime()).getTime() !== monthsFromNow(0).getTime());
    expect(lists).toEqual([wanted(table), wanted(table)]);
  });

  it('receive calls and events', async () => {
    await maintain();
    await scene.call(user, 'test.return');
    const [row] = await sql<{ partition: string; at: Date }>(
      'select tableoid::regclass::text as partition, at from audit_log where user_id = $1',
      [user.userId],
    );
    expect(row?.partition).toBe(nameOf('audit_log', monthOf(row!.at)));
    expect(await addEvent(now, 500)).toBe(nameOf('events', monthsFromNow(0)));
    await expect(addEvent(now, 500)).rejects.toThrow(/unique/);
  });

  it('are also those of this process’s clock, if it is ahead', async () => {
    await maintain(monthsFromNow(7));
    const names = await partitionNames(db(), 'audit_log');
    expect(names).toContain(nameOf('audit_log', monthsFromNow(0)));
    expect(names).toContain(nameOf('audit_log', monthsFromNow(7 + AHEAD)));
  });

  it('no call fails if none was added for months, and its row moves into its month once there is one', async () => {
    await scene.call(user, 'test.return');
    const where = 'select tableoid::regclass::text as partition, at from audit_log where user_id = $1';
    const rows = await sql<{ partition: string; at: Date }>(where, [user.userId]);
    expect(rows).toMatchObject([{ partition: 'audit_log_default' }]);
    await maintain();
    expect(await sql(where, [user.userId])).toMatchObject([{ partition: nameOf('audit_log', monthOf(rows[0]!.at)) }]);
    expect(await scene.trail(user)).toEqual(['allowed ok']);
  });

  it('no row that is inserted meanwhile is rejected when the current month is added', async () => {
    let isOver = false;
    const errors: unknown[] = [];
    const insert = async () => {
      while (!isOver) await addRow(now).catch((error: unknown) => errors.push(error));
    };
    const inserting = Promise.all(Array.from({ length: 4 }, insert));
    for (let times = 0; times < 10; times += 1) {
      await sql(`drop table if exists ${nameOf('audit_log', monthsFromNow(0))}`);
      await addRow(now);
      await maintain();
    }
    isOver = true;
    await inserting;
    expect(errors).toEqual([]);
    expect(await addRow(now)).toBe(nameOf('audit_log', monthsFromNow(0)));
  });

  it('a month that already has many rows stays in the default partition, and the next ones are added', async () => {
    await sql(
      `insert into audit_log (user_id, at, surface, action, decision, outcome, milliseconds, call_id)
       select $1, $2, 'socket', 'many', 'allowed', 'ok', n, gen_random_uuid() from generate_series(1, 3000) n`,
      [user.userId, now],
    );
    await maintain();
    const names = await partitionNames(db(), 'audit_log');
    expect(names).not.toContain(nameOf('audit_log', monthsFromNow(0)));
    expect(names).toContain(nameOf('audit_log', monthsFromNow(1)));
    expect(await addRow(now)).toBe('audit_log_default');
  });
});

describe('expired rows', () => {
  it('go with their month, and one by one from the default partition; pages no longer show them before', async () => {
    const old = monthsFromNow(-15);
    await maintain();
    for (const table of TABLES) await addMonth(db(), table, old, logger);
    expect(await addRow(old)).toBe(nameOf('audit_log', old));
    expect(await addRow(lastDays(monthsFromNow(-16)))).toBe('audit_log_default');
    await addRow(now, user, 'new');
    await addEvent(old, 500);
    const page = await scene.steward.call('/user/audit', { token: user.token });
    expect(page.body.entries.map(({ action }: { action: string }) => action)).toEqual(['new']);
    await sweepNow(scene.steward);
    await eventually(async () => expect((await scene.audit(user)).map(({ action }) => action)).toEqual(['new']));
    for (const table of TABLES) expect(await partitionNames(db(), table)).not.toContain(nameOf(table, old));
    expect(await sql('select seq from events where seq = 500')).toEqual([]);
  });

  it('are kept if only one of the clocks says that they have expired', async () => {
    await maintain();
    await addRow(now);
    await maintain(monthsFromNow(200));
    expect(await scene.audit(user)).toHaveLength(1);
  });
});

describe('a user whose rows are in many months', () => {
  beforeEach(async () => {
    for (let months = -13; months < 0; months += 1) for (const table of TABLES) await addMonth(db(), table, monthsFromNow(months), logger);
    await maintain();
  });

  it('has pages over all of them, newest first', async () => {
    for (let months = -12; months <= 0; months += 1) {
      for (let rows = 0; rows < 3; rows += 1) await addRow(monthsFromNow(months), user, `${months}.${rows}`);
    }
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await scene.steward.call(`/user/audit?limit=7${cursor && `&cursor=${cursor}`}`, { token: user.token });
      seen.push(...body.entries.map(({ action }: { action: string }) => action));
      cursor = body.next_cursor;
    }
    expect(seen).toEqual(Array.from({ length: 39 }, (_, index) => `${0 - Math.floor(index / 3)}.${2 - (index % 3)}`));
    const { body } = await scene.steward.call('/user/export', { token: user.token });
    expect(body.audit_log.entries.map(({ action }: { action: string }) => action)).toEqual(seen);
  });

  it('is erased from all of them, and no row of others is, although rows of partitions have equal positions', async () => {
    const other = await scene.connect();
    for (let months = -13; months <= 0; months += 1) {
      // In each partition, the rows of one are where those of the other are in the next.
      for (const one of months % 2 === 0 ? [user, other] : [other, user])
        for (let rows = 0; rows < 3; rows += 1) await addRow(monthsFromNow(months), one);
      await addEvent(monthsFromNow(months), 1000 + months);
    }
    const before = await scene.audit(other);
    expect(before).toHaveLength(14 * 3);
    await sql('alter table users disable trigger users_deleted');
    await scene.steward.call('/user', { method: 'DELETE', token: user.token });
    await sql('alter table users enable trigger users_deleted');
    await walkErasure(db(), user.userId);
    expect(await scene.audit(user)).toEqual([]);
    expect(await sql('select 1 from events where user_id = $1', [user.userId])).toEqual([]);
    expect(await scene.audit(other)).toEqual(before);
  });

  it('is erased at once by the deletion itself if there are few', async () => {
    const other = await scene.connect();
    for (let months = -13; months <= 0; months += 1) for (const one of [user, other]) await addRow(monthsFromNow(months), one);
    await scene.steward.call('/user', { method: 'DELETE', token: user.token });
    expect(await scene.audit(user)).toEqual([]);
    expect(await scene.audit(other)).toHaveLength(14);
    expect(await sql('select clean_at is not null as is_clean from erasures where user_id = $1', [user.userId])).toEqual([
      { is_clean: true },
    ]);
  });
});
