import { randomBytes, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { Keyring } from '../../../src/crypto/keyring.ts';
import { sealTokens } from '../../../src/vault/grants/token-encryption.ts';
import { UserKeys, userKeyContext } from '../../../src/vault/keys/user-keys.ts';
import { DecryptedTokenCache } from '../../../src/vault/refresh/decrypted-token-cache.ts';
import type { RefreshRow } from '../../../src/vault/refresh/refresh-repository.ts';
import { TestClock } from '../../support/time/test-clock.ts';

let clock: TestClock;
let opened: DecryptedTokenCache;

const keyring = new Keyring([{ id: 'one', secret: randomBytes(32) }]);
const userKeys = new UserKeys(keyring);

/** A grant's row; `like` = the same grant with other tokens. */
async function sealedRow(accessToken: string, like?: RefreshRow): Promise<RefreshRow> {
  const { id, userId, keyId } = like ?? { id: randomUUID(), userId: randomUUID(), keyId: randomUUID() };
  const wrapped = like?.wrapped ?? (await keyring.wrap(randomBytes(32), userKeyContext(userId, keyId))).wrapped;
  const owner = { id, userId, provider: 'workspace' as const };
  const tokens = sealTokens(await userKeys.unwrap(userId, { id: keyId, wrapped }), owner, { accessToken });
  const now = { remaining: 3600, life: 3600, lease: null, pause: null, failures: 0, leased: false, readAt: 0, version: 1 };
  return { ...owner, ...now, subject: 'ada', status: 'active', keyId, wrapped, tokens };
}

beforeEach(() => {
  clock = new TestClock({ standsAt: 0 });
  opened = new DecryptedTokenCache(userKeys, clock);
});

describe('decrypted tokens', () => {
  it('are those of the row that was read, whatever it contained before', async () => {
    const before = await sealedRow('before');
    const after = await sealedRow('after', before);
    for (const row of [before, after, before, after]) expect((await opened.of(row)).accessToken).toBe(row === before ? 'before' : 'after');
  });

  it('are not returned for a row of another user or provider with the same bytes', async () => {
    const row = await sealedRow('mine');
    expect(await opened.of(row)).toEqual({ accessToken: 'mine' });
    await expect(opened.of({ ...row, userId: randomUUID() })).rejects.toThrow('could not be read');
    await expect(opened.of({ ...row, provider: 'bank' })).rejects.toThrow('could not be read');
  });

  it('are removed within a minute, in use or not', async () => {
    const row = await sealedRow('short');
    await opened.of(row);
    await clock.advance(29_000);
    await opened.of(row);
    expect(opened.has(row.id)).toBe(true);
    await clock.advance(31_000);
    expect(opened.has(row.id)).toBe(false);
    expect(clock.waiting).toBe(0);
  });

  it('are limited to some thousands of grants', async () => {
    const rows = await Promise.all(Array.from({ length: 4_100 }, (_, index) => sealedRow(`token ${index}`)));
    for (const row of rows) await opened.of(row);
    expect(rows.filter(({ id }) => opened.has(id)).length).toBeLessThanOrEqual(4_000);
    expect(opened.has(rows.at(-1)!.id)).toBe(true);
  });
});
