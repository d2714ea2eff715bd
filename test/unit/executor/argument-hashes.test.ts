import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { ArgumentHashes } from '../../../src/executor/call/argument-hashes.ts';
import type { UserKeys } from '../../../src/vault/keys/user-keys.ts';

describe('the hash of arguments', () => {
  it('is HMAC-SHA-256 over canonical JSON, as stored by earlier releases', async () => {
    const key = createSecretKey(Buffer.alloc(32, 7));
    const hashes = new ArgumentHashes({} as Database, { hashKey: async () => key } as unknown as UserKeys);
    const expected = '135823a33f785ccc557ee9be33d3d95d4b162b273f531b2784be471db59d3a86';
    expect(await hashes.of('user', 'mail.send', null, { b: 'é', a: 1 })).toBe(expected);
    expect(await hashes.of('user', 'mail.send', null, { a: 1, b: 'é' })).toBe(expected);
    expect(await hashes.of('user', 'mail.send', null, { a: 1, b: 'e' })).not.toBe(expected);
  });
});
