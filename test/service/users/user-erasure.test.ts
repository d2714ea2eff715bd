import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allRows, userColumns } from '../../support/database/user-tables.ts';
import { subjectOf } from '../../support/emulators/workspace-emulator.ts';
import { ExecutorScene } from '../../support/scenes/executor-scene.ts';
import { newName, sweepToEnd } from '../../support/scenes/flows.ts';
import { fullUser } from '../../support/scenes/full-user.ts';
import { eventually } from '../../support/time/eventually.ts';
import { expectError } from '../../support/users/expect-error.ts';

/** Data of a deleted user that is kept, where and why. */
const STAYS: Record<string, string> = {
  deleted_users: 'keyed hash of the identity and the user’s former id, for 30 days: tokens issued before stay refused',
  erasures: 'the user’s former id, for 30 days: what is left is looked for by it, and a restored backup is told',
};

let scene: ExecutorScene;

beforeAll(async () => {
  scene = await ExecutorScene.start({ LIMIT_REVOCATION_RETRY_SECONDS: '1' });
});

afterAll(() => scene.stop());

const erase = (token: string) => scene.steward.call('/user', { method: 'DELETE', token });

async function countRows(userId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [table, columns] of await userColumns(scene.steward.sql)) {
    const column = table === 'users' ? 'id' : columns.includes('user_id') && !(table in STAYS) ? 'user_id' : undefined;
    if (column === undefined) continue;
    counts[table] = (await scene.steward.sql(`select 1 from ${table} where ${column} = $1`, [userId])).length;
  }
  return counts;
}

describe('DELETE /user', () => {
  it('leaves no data of the user in any table, except what is listed', async () => {
    const user = await fullUser(scene);
    const itemIds = await scene.steward.sql<{ id: string; subject: string }>(
      'select i.id, g.subject from bank_items i join grants g on g.id = i.grant_id where i.user_id = $1',
      [user.userId],
    );
    const traces = [
      ...[user.userId, user.name, user.accountId, user.grantId, user.email, user.secondEmail, subjectOf(user.secondEmail)],
      ...itemIds.flatMap(({ id, subject }) => [id, subject]),
    ];
    const before = await allRows(scene.steward.sql);
    for (const trace of traces) expect(before.filter(({ row }) => row.includes(trace)).length, trace).toBeGreaterThan(0);

    expect((await erase(user.token)).body).toEqual({ success: true });
    await sweepToEnd(scene.steward);
    await eventually(async () => expect(await scene.steward.sql('select 1 from revocations')).toEqual([]));
    const after = await allRows(scene.steward.sql);
    const left = traces.flatMap((trace) => after.filter(({ row }) => row.includes(trace)).map(({ table }) => table));
    expect([...new Set(left)].sort()).toEqual(Object.keys(STAYS).sort());
  });

  it('deletes the waitlist entry of the user’s verified address, and no other', async () => {
    const [name, other] = [newName(), newName()];
    const token = await scene.steward.signIn(name);
    for (const one of [name, other]) await scene.steward.call('/waitlist', { form: { email: `${one}@example.com` } });
    await scene.steward.call('/integrations', { token });
    await erase(token);
    const rows = await scene.steward.sql<{ email: string }>('select email from waitlist where email = any($1)', [
      [`${name}@example.com`, `${other}@example.com`],
    ]);
    expect(rows).toEqual([{ email: `${other}@example.com` }]);
  });

  it('deletes all or nothing: the key and the rest in one transaction', async () => {
    const user = await fullUser(scene);
    const before = await countRows(user.userId);
    expect(Object.entries(before).filter(([, count]) => count === 0)).toEqual([]);
    const live = scene.provider.revoked.length;
    // The last write of a deletion.
    await scene.steward.sql('alter table deleted_users rename to deleted_users_away');
    try {
      expectError(await erase(user.token), 'internal');
    } finally {
      await scene.steward.sql('alter table deleted_users_away rename to deleted_users');
    }
    expect(await countRows(user.userId)).toEqual(before);
    expect(await scene.steward.sql('select 1 from revocations')).toEqual([]);
    expect(scene.provider.revoked.length).toBe(live);
    const export_ = await scene.steward.call('/user/export', { token: user.token });
    expect(export_.body.approvals[0].arguments.input.to).toEqual([`friend-of-${user.name}@example.com`]);

    expect((await erase(user.token)).status).toBe(200);
    expect(Object.values(await countRows(user.userId)).every((count) => count === 0)).toBe(true);
  });

  it('is logged with the former id, and no other data of the user', async () => {
    const user = await fullUser(scene);
    await erase(user.token);
    const lines = scene.steward.logs.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'user deleted');
    expect(lines.at(-1)).toMatchObject({ level: 30, user: user.userId });
    expect(JSON.stringify(lines.at(-1))).not.toContain(user.name);
  });
});
