import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { ExecutorScene } from '../../support/executor-scene.ts';
import { sweepNow } from '../../support/flows.ts';

let scene: ExecutorScene;

beforeAll(async () => {
  scene = await ExecutorScene.start();
});
afterAll(() => scene.stop());

/** Columns and values of a row that the sweep deletes, and of one that it keeps: `$1` is the user, `$2` the grant. */
const ROWS: [table: string, columns: string, gone: string, kept: string][] = [
  ...[
    ['expires_at', `now() - interval '31 days'`, `now() - interval '29 days'`],
    [
      'revoked_at, expires_at',
      `now() - interval '31 days', now() + interval '1 day'`,
      `now() - interval '29 days', now() + interval '1 day'`,
    ],
  ].map(([columns, gone, kept]): [string, string, string, string] => [
    'client_grants',
    `id, user_id, token_hash, last_four, actions, access, name, kind, ${columns}`,
    `gen_random_uuid(), $1, sha256(gen_random_uuid()::text::bytea), 'abcd', '{*}', 'read', 'gone', 'personal_access_token', ${gone}`,
    `gen_random_uuid(), $1, sha256(gen_random_uuid()::text::bytea), 'abcd', '{*}', 'read', 'kept', 'personal_access_token', ${kept}`,
  ]),
  [
    'allowances',
    'id, user_id, account_id, grant_id, subject, revision, covered, action, expires_at',
    `gen_random_uuid(), $1, gen_random_uuid(), $2, 's', 'r1', '', 'gone', now() - interval '1 minute'`,
    `gen_random_uuid(), $1, gen_random_uuid(), $2, 's', 'r1', '', 'kept', now() + interval '1 minute'`,
  ],
  [
    'context_reads',
    'id, user_id, sources, context, read_at',
    `gen_random_uuid(), $1, '', 'user', now() - interval '66 minutes'`,
    `gen_random_uuid(), $1, '', 'user', now() - interval '64 minutes'`,
  ],
  ['contexts', 'user_id, name, tainted_until', `$1, 'client:gone', now() - interval '1 minute'`, `$1, 'user', now() + interval '1 minute'`],
  ['tainted_items', 'user_id, item, until', `$1, 'gone', now() - interval '1 minute'`, `$1, 'kept', now() + interval '1 minute'`],
];

describe('the sweep', () => {
  it.each(ROWS)('deletes from %s (%s) what is over, and nothing else', async (table, columns, gone, kept) => {
    const { sql } = scene.steward;
    const { userId, grantId } = await scene.connect();
    const left = () => sql<{ row: string }>(`select ctid::text as row from ${table} where user_id = $1`, [userId]);
    const insert = (values: string) =>
      sql<{ row: string }>(
        `with given as (select $1::uuid as user_id, $2::uuid as grant_id) insert into ${table} (${columns})
         select ${values.replace('$1', 'user_id').replace('$2', 'grant_id')} from given returning ctid::text as row`,
        [userId, grantId],
      );
    await insert(gone);
    const rest = await insert(kept);
    expect(await left()).toHaveLength(2);
    await sweepNow(scene.steward);
    await eventually(async () => expect(await left()).toHaveLength(1));
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
    await sweepNow(scene.steward);
    await eventually(async () => expect(await sql('select 1 from context_reads where user_id = $1', [userId])).toHaveLength(1));
    expect(await sql('select context from context_reads where user_id = $1', [userId])).toEqual([
      { context: expect.stringMatching(/^thread:/) },
    ]);
    expect(await sql('select name from client_grants where user_id = $1', [userId])).toEqual([{ name: 'external' }]);
  });
});
