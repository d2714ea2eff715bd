import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ExecutorScene } from '../../support/scenes/executor-scene.ts';
import { sweepToEnd, unschedule } from '../../support/scenes/flows.ts';

let scene: ExecutorScene;

beforeAll(async () => {
  scene = await ExecutorScene.start();
  // Without the scheduled run, rows are there until the test has seen them.
  await unschedule(scene.steward.sql, 'sweep');
  await sweepToEnd(scene.steward);
});
afterAll(() => scene.stop());

const TOKEN = 'id, user_id, token_hash, last_four, actions, access, name, kind';
const TOKEN_VALUES = `gen_random_uuid(), $1, sha256(gen_random_uuid()::text::bytea), 'abcd', '{*}', 'read', 'n', 'personal_access_token'`;
const FLOW = 'id, user_id, state_hash, redirect_uri, expires_at, created_at';
const FLOW_VALUES = `gen_random_uuid(), $1, sha256(gen_random_uuid()::text::bytea), '', now()`;
const ALLOWANCE_VALUES = `gen_random_uuid(), $1, 'user', gen_random_uuid(), $2, 's', 'test.send', 'r1', ''`;

/** Columns and values of rows; with the time of one that the sweep deletes, and of one that it keeps. `$1` is the user, `$2` the grant. */
const ROWS: [what: string, table: string, columns: string, values: string, gone: string, kept: string][] = [
  ['tokens that expired 30 days ago', 'client_grants', `${TOKEN}, expires_at`, TOKEN_VALUES, '-31 days', '-29 days'],
  [
    'tokens that were revoked 30 days ago',
    'client_grants',
    `${TOKEN}, expires_at, revoked_at`,
    `${TOKEN_VALUES}, now() + interval '1 day'`,
    '-31 days',
    '-29 days',
  ],
  [
    'allowances that have expired',
    'allowances',
    'id, user_id, asker, account_id, grant_id, subject, action, revision, covered, expires_at',
    ALLOWANCE_VALUES,
    '-1 minute',
    '1 minute',
  ],
  [
    'what was read an hour ago',
    'context_reads',
    'id, user_id, sources, context, read_at',
    `gen_random_uuid(), $1, '', 'user'`,
    '-66 minutes',
    '-64 minutes',
  ],
  [
    'what tells that a user was deleted 30 days ago',
    'deleted_users',
    'identity_hash, user_id, deleted_at',
    `sha256(gen_random_uuid()::text::bytea), $1`,
    '-31 days',
    '-29 days',
  ],
  [
    'sessions that have expired',
    'web_sessions',
    'secret_hash, user_id, expires_at',
    `sha256(gen_random_uuid()::text::bytea), $1`,
    '-1 minute',
    '1 hour',
  ],
  ['contexts of an hour ago', 'contexts', 'user_id, name, tainted_until', `$1, gen_random_uuid()::text`, '-1 minute', '1 minute'],
  [
    'items that were written an hour ago',
    'written_items',
    'user_id, item, context, is_tainted, is_financial, until',
    `$1, gen_random_uuid()::text::bytea, 'user', true, false`,
    '-1 minute',
    '1 minute',
  ],
  ['flows that began a day ago', 'oauth_flows', FLOW, FLOW_VALUES, '-25 hours', '-23 hours'],
  [
    'bindings of browsers that have expired',
    'browser_bindings',
    'secret_hash, user_id, expires_at',
    'sha256(gen_random_uuid()::text::bytea), $1',
    '-1 minute',
    '1 hour',
  ],
];

describe('the sweep', () => {
  it.each(ROWS)('deletes %s, and nothing else', async (_what, table, columns, values, gone, kept) => {
    const { sql } = scene.steward;
    const { userId, grantId } = await scene.connect();
    const left = () => sql<{ row: string }>(`select ctid::text as row from ${table} where user_id = $1`, [userId]);
    const insert = (time: string) =>
      sql<{ row: string }>(
        `with given as (select $1::uuid as user_id, $2::uuid as grant_id) insert into ${table} (${columns})
         select ${values.replace('$1', 'user_id').replace('$2', 'grant_id')}, now() + $3::interval from given returning ctid::text as row`,
        [userId, grantId, time],
      );
    await sql(`delete from ${table} where user_id = $1`, [userId]);
    await insert(gone);
    const rest = await insert(kept);
    expect(await left()).toHaveLength(2);
    await sweepToEnd(scene.steward);
    expect(await left()).toEqual(rest);
  });

  it('remembers that a client of the operator’s own server has ended, and what was read in a conversation', async () => {
    const { sql } = scene.steward;
    const { userId } = await scene.connect();
    await sql(
      `insert into client_grants (id, user_id, token_hash, last_four, actions, access, name, kind, expires_at)
       select gen_random_uuid(), $1, sha256(gen_random_uuid()::text::bytea), 'abcd', '{*}', 'read', kind, kind, now() - interval '400 days'
       from unnest(array['external', 'personal_access_token']) as kind`,
      [userId],
    );
    await sql(
      `insert into context_reads (id, user_id, sources, context, read_at)
       select gen_random_uuid(), $1, '', context, now() - interval '400 days' from unnest(array['user', 'thread:' || $2]) as context`,
      [userId, randomUUID()],
    );
    await sweepToEnd(scene.steward);
    expect(await sql('select context from context_reads where user_id = $1', [userId])).toEqual([
      { context: expect.stringMatching(/^thread:/) },
    ]);
    expect(await sql('select name from client_grants where user_id = $1', [userId])).toEqual([{ name: 'external' }]);
  });
});
