import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linkBank } from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { expectError } from '../../support/users/expect-error.ts';

let steward: TestSteward;

beforeAll(async () => {
  steward = await startSteward();
});

afterAll(() => steward.stop());

/** A user with one bank entry, whose stored token every refresh decrypts. */
async function linkedUser(name: string) {
  const token = await steward.signIn(name);
  await linkBank(steward, token);
  const [entry] = (await steward.call('/auth/bank/accounts', { token })).body.accounts;
  const [grant] = await steward.sql<{ id: string; userId: string }>(
    `select g.id, g.user_id as "userId" from grants g join bank_items i on i.grant_id = g.id where i.id = $1::uuid`,
    [entry.id],
  );
  return { token, entry: entry.id as string, grant: grant!.id, userId: grant!.userId };
}

const refresh = (user: { token: string; entry: string }) =>
  steward.call(`/auth/bank/accounts/${user.entry}/refresh`, { method: 'POST', token: user.token });

const callsToTheBank = async () => JSON.stringify((await steward.control('bank/state')).calls ?? {});

describe('a stored token', () => {
  it('can be decrypted as long as it is unchanged', async () => {
    expect((await refresh(await linkedUser('untouched'))).body).toEqual({ success: true });
  });

  it.each([
    ['with one bit flipped', 'tokens = set_byte(tokens, 90, get_byte(tokens, 90) # 1)'],
    ['with its last bit flipped', 'tokens = set_byte(tokens, octet_length(tokens) - 1, get_byte(tokens, octet_length(tokens) - 1) # 128)'],
    ['with a shortened tag', 'tokens = substring(tokens for octet_length(tokens) - 12)'],
    ['under an unknown key id', 'tokens = set_byte(tokens, 5, get_byte(tokens, 5) # 3)'],
    ['of nothing', `tokens = ''`],
  ])('%s is an error, and nothing is sent to the bank', async (name, change) => {
    const user = await linkedUser(`tampered-${name.replaceAll(' ', '-')}`);
    await steward.sql(`update grants set ${change} where id = $1::uuid`, [user.grant]);
    const before = await callsToTheBank();
    expectError(await refresh(user), 'internal');
    expect(await callsToTheBank()).toBe(before);
  });

  it.each([
    ['token', 'grants set tokens = set_byte(tokens, 90, get_byte(tokens, 90) # 1) where user_id = $1::uuid'],
    ['user’s key', 'user_keys set wrapped = set_byte(wrapped, 90, get_byte(wrapped, 90) # 1) where user_id = $1::uuid'],
  ])('is not used from a cache once the %s is altered', async (what, change) => {
    const user = await linkedUser(`used-${what.replaceAll(/\W/g, '-')}`);
    const use = () => steward.context.tokens.current(user.userId, user.grant);
    expect(await use()).toBe(await use());
    await steward.sql(`update ${change}`, [user.userId]);
    await expect(use()).rejects.toMatchObject({ code: 'internal' });
  });

  it('of another user is an error for both', async () => {
    const [ada, ben] = [await linkedUser('swap-ada'), await linkedUser('swap-ben')];
    const tokens = await steward.sql<{ tokens: Buffer; id: string }>('select id, tokens from grants where id = any($1::uuid[])', [
      [ada.grant, ben.grant],
    ]);
    for (const { id, tokens: sealed } of tokens) {
      await steward.sql('update grants set tokens = $2 where id = $1::uuid', [id === ada.grant ? ben.grant : ada.grant, sealed]);
    }
    expectError(await refresh(ada), 'internal');
    expectError(await refresh(ben), 'internal');
  });

  it('under a user key wrapped by a missing master key is an error, with an alarm that names the key', async () => {
    const user = await linkedUser('lost-master');
    // The master key's id follows the record's version and length.
    await steward.sql('update user_keys set wrapped = set_byte(wrapped, 2, 88) where user_id = $1::uuid', [user.userId]);
    expectError(await refresh(user), 'internal');
    const alarms = steward.logs.map((line) => JSON.parse(line)).filter((line) => line.level === 50 && line.key_id !== undefined);
    expect(alarms.map((alarm) => alarm.key_id)).toEqual([expect.stringMatching(/^Xevelopment-/)]);
  });
});
