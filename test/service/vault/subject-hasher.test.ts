import { createHash, randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { Keyring } from '../../../src/crypto/keyring.ts';
import { SubjectHasher } from '../../../src/vault/keys/subject-hasher.ts';
import { checkKeys } from '../../../src/vault/rotation/check-keys.ts';
import { subjectOf } from '../../support/emulators/workspace-emulator.ts';
import { connect, newName, outcome } from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';

const key = (id: string) => ({ id, secret: randomBytes(32) });
const [first, second] = [key('k1'), key('k2')];
const keys = (...list: (typeof first)[]) => ({ MASTER_KEYS: list.map(({ id, secret }) => `${id}:${secret.toString('base64')}`).join(',') });
const plain = (issuer: string, subject: string) => createHash('sha256').update(`${issuer}\0${subject}`).digest();

describe('hashed names that outlive their user', () => {
  let steward: TestSteward;

  afterEach(() => steward.stop());

  const erase = async (token: string) => expect((await steward.call('/user', { method: 'DELETE', token })).status).toBe(200);

  it('can’t be found by hashing, neither the identity nor a provider’s account', async () => {
    steward = await startSteward(keys(first));
    const email = `${newName()}@example.com`;
    const { token, callback } = await connect(steward, { email });
    expect(outcome(callback)).toMatchObject({ status: 'connected' });
    const { issuer, subject } = await steward.context.sessions.authenticate(token);
    await erase(token);
    const [row] = await steward.sql<{ hash: Buffer }>('select identity_hash as hash from deleted_users');
    expect(row?.hash).toHaveLength(32);
    expect(row?.hash.equals(plain(issuer, subject))).toBe(false);
    // Until the provider has confirmed the revocation, the sweep may consider the row idle.
    const subjects = await eventually(async () => {
      const rows = await steward.sql<{ subject: string }>('select subject from provider_subjects where revoked_at is not null');
      return rows.length > 0 && rows;
    });
    for (const one of subjects) expect(one.subject).toMatch(/^[0-9a-f]{64}$/);
    const known = createHash('sha256').update(subjectOf(email)).digest('hex');
    expect(subjects.map((one) => one.subject)).not.toContain(known);
  });

  it('have the same hash after a change of master keys and on every replica', async () => {
    steward = await startSteward(keys(first));
    const { db } = steward.context;
    const name = () => new SubjectHasher(db, new Keyring([first])).identity('i', 's');
    const before = await name();
    expect((await name()).equals(before)).toBe(true);
    await checkKeys(db, new Keyring([second, first]));
    await steward.sql(`delete from key_canaries where master_key_id = 'k1'`);
    expect((await new SubjectHasher(db, new Keyring([second])).identity('i', 's')).equals(before)).toBe(true);
    expect((await new SubjectHasher(db, new Keyring([second])).identity('i', 't')).equals(before)).toBe(false);
  });
});
