import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allRows } from '../support/database/user-tables.ts';
import { runCli } from '../support/processes/cli.ts';
import { createPlace, type Place } from '../support/processes/process.ts';
import { ExecutorScene } from '../support/scenes/executor-scene.ts';
import { sweepNow } from '../support/scenes/flows.ts';
import { fullUser } from '../support/scenes/full-user.ts';
import { eventually } from '../support/time/eventually.ts';

const NOBODY = '00000000-0000-4000-8000-000000000000';

let place: Place;
let folder: string;
let scene: ExecutorScene;
let stays: Awaited<ReturnType<typeof fullUser>>;
let goes: Awaited<ReturnType<typeof fullUser>>;

beforeAll(async () => {
  place = await createPlace();
  folder = mkdtempSync(join(tmpdir(), 'steward-erase-'));
  scene = await ExecutorScene.start(place.env);
  stays = await fullUser(scene);
  goes = await fullUser(scene);
  await scene.steward.stop();
});

afterAll(async () => {
  await scene.provider.stop();
  rmSync(folder, { recursive: true, force: true });
  await place.remove();
});

function erase(lines: string, env: Record<string, string> = {}) {
  const file = join(folder, 'ids');
  writeFileSync(file, lines);
  return runCli('data', ['erase', file], { ...place.env, ...env });
}

const users = async () => (await place.sql<{ id: string }>('select id from users')).map(({ id }) => id).sort();

describe('npm run data -- erase', () => {
  it.each([
    [
      'a line without an id',
      (id: string) => `${id}\nada@example.org\n`,
      /^Line 2 of \S+ does not begin with a user id\. No user was deleted\.$/m,
    ],
    ['SQL', (id: string) => `${id}' or true --\n`, /^Line 1 of/m],
  ])('rejects a file with %s before it deletes any user', async (_name, lines, message) => {
    const { code, stderr } = await erase(lines(goes.userId));
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
    expect(await users()).toEqual([stays.userId, goes.userId].sort());
  });

  it('rejects keys that cannot decrypt the tokens to be revoked', async () => {
    const { code, stderr } = await erase(goes.userId, { MASTER_KEYS: `other:${Buffer.alloc(32, 7).toString('base64')}` });
    expect(code).toBe(1);
    expect(stderr).toMatch(/MASTER_KEYS doesn't name: development-/);
    expect(await users()).toEqual([stays.userId, goes.userId].sort());
  });

  it('deletes the listed users like DELETE /user, and no others; the service revokes their tokens when it starts', async () => {
    const { code, stdout } = await erase(`${goes.userId.toUpperCase()} 2026-01-02T03:04:05.000Z\n\n${NOBODY}\n`);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '1 users deleted, 1 not found.\n' });
    expect((await runCli('data', ['deletions'], place.env)).stdout).toMatch(new RegExp(`^${goes.userId} \\d{4}-\\S+Z\\n$`));
    const revokedBefore = scene.provider.revoked.length;
    scene.steward = await scene.replica(place.env);
    scene.reset();
    await sweepNow(scene.steward);
    await eventually(() => scene.provider.revoked.length >= revokedBefore + 2);
    await eventually(async () => expect(await scene.steward.sql('select 1 from revocations')).toEqual([]));
    const rows = await allRows(scene.steward.sql);
    const left = [goes.userId, goes.name, goes.accountId, goes.secondEmail].flatMap((trace) =>
      rows.filter(({ row }) => row.includes(trace)).map(({ table }) => table),
    );
    expect(new Set(left)).toEqual(new Set(['deleted_users', 'erasures']));
    const old = await scene.steward.call('/integrations', { token: goes.token });
    expect(old.body.code).toBe('invalid_token');
    await scene.call(stays, 'test.read', {}, { account: stays.accountId });
    await scene.steward.stop();
  });
});
