import { createCipheriv, createSecretKey, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type AssociatedData, type DataKey, keyIdOf, open, seal } from '../../../src/crypto/envelope.ts';
import { AppError } from '../../../src/errors.ts';
import { fc } from '../../support/runner/property.ts';

const key: DataKey = { id: randomUUID(), secret: randomBytes(32) };
const associatedData: AssociatedData = { table: 'grants', column: 'tokens', userId: 'user-1', rowId: 'row-1' };

function failure(action: () => unknown): AppError {
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    return error as AppError;
  }
  throw new Error('opened although it must not');
}

function opens(withKey: DataKey, data: AssociatedData, record: Uint8Array): boolean {
  try {
    open(withKey, data, record);
    return true;
  } catch {
    return false;
  }
}

describe('seal and open', () => {
  it('return every value for any associated data', () => {
    const anyData = fc.record({ table: fc.string(), column: fc.string(), userId: fc.string(), rowId: fc.string() });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), anyData, (value, data) => {
        expect(open(key, data, seal(key, data, value))).toEqual(Buffer.from(value));
      }),
    );
  });

  it('accept text, empty and beyond ASCII', () => {
    for (const value of ['', 'ya29.token', 'Grüße 🌍'])
      expect(open(key, associatedData, seal(key, associatedData, value)).toString()).toBe(value);
  });

  it('accept the secret as a KeyObject or as bytes', () => {
    const secret = key.secret as Buffer;
    const held = { id: key.id, secret: createSecretKey(secret) };
    expect(open(key, associatedData, seal(held, associatedData, 'value')).toString()).toBe('value');
    expect(inspect(held)).not.toContain(secret.toString('hex').slice(0, 8));
  });

  it('hide the value and never return the same record twice', () => {
    const value = 'a value that must not be visible';
    const records = Array.from({ length: 50 }, () => seal(key, associatedData, value));
    expect(records.every((record) => !record.includes(value.slice(0, 8)))).toBe(true);
    expect(new Set(records.map((record) => record.toString('hex'))).size).toBe(50);
    // Salt, commitment and ciphertext each differ, not only one of them.
    const [first, second] = records as [Buffer, Buffer];
    for (const start of [38, 70, 102]) expect(first.subarray(start, start + 16)).not.toEqual(second.subarray(start, start + 16));
  });

  it('reject a key that does not have 32 bytes', () => {
    for (const size of [16, 31, 33]) expect(() => seal({ id: 'k', secret: randomBytes(size) }, associatedData, 'x')).toThrow(RangeError);
    expect(() => seal({ id: '', secret: randomBytes(32) }, associatedData, 'x')).toThrow(RangeError);
    expect(() => seal({ id: 'k'.repeat(256), secret: randomBytes(32) }, associatedData, 'x')).toThrow(RangeError);
  });
});

describe('a record that was tampered with', () => {
  const record = seal(key, associatedData, 'forty bytes of an access token or thereby');

  it('fails to open whichever bit is flipped', () => {
    for (let bit = 0; bit < record.length * 8; bit++) {
      const changed = Buffer.from(record);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(opens(key, associatedData, changed), `bit ${bit}`).toBe(false);
    }
  });

  it('fails to open when truncated at either end', () => {
    for (let length = 0; length < record.length; length++) {
      expect(opens(key, associatedData, record.subarray(0, length)), `first ${length} bytes`).toBe(false);
      expect(opens(key, associatedData, record.subarray(record.length - length)), `last ${length} bytes`).toBe(false);
    }
  });

  it('fails to open with anything appended', () => {
    expect(opens(key, associatedData, Buffer.concat([record, Buffer.of(0)]))).toBe(false);
  });

  it('fails to open with a short tag', () => {
    // The shortest GCM tag has 4 bytes; Node accepts it unless authTagLength is set.
    for (const size of [4, 8, 12, 15]) expect(opens(key, associatedData, record.subarray(0, record.length - 16 + size))).toBe(false);
    const empty = seal(key, associatedData, '');
    for (const size of [4, 8, 12, 15]) expect(opens(key, associatedData, empty.subarray(0, empty.length - 16 + size))).toBe(false);
  });
});

describe('a record that was moved', () => {
  it('fails to open in another table, column, user or row', () => {
    const record = seal(key, associatedData, 'value');
    for (const field of ['table', 'column', 'userId', 'rowId'] as const) {
      expect(opens(key, { ...associatedData, [field]: `${associatedData[field]}x` }, record), field).toBe(false);
      expect(opens(key, { ...associatedData, [field]: '' }, record), field).toBe(false);
    }
  });

  it('fails to open when the same letters are split differently', () => {
    const record = seal(key, { table: 'a', column: 'bc', userId: 'd', rowId: 'ef' }, 'value');
    expect(opens(key, { table: 'ab', column: 'c', userId: 'd', rowId: 'ef' }, record)).toBe(false);
    expect(opens(key, { table: 'a', column: 'bc', userId: 'de', rowId: 'f' }, record)).toBe(false);
  });
});

describe('a record of another key', () => {
  const record = seal(key, associatedData, 'value');

  it('fails to open under another secret of the same id', () => {
    expect(opens({ id: key.id, secret: randomBytes(32) }, associatedData, record)).toBe(false);
  });

  it('fails to open under another id with the same secret', () => {
    expect(opens({ id: randomUUID(), secret: key.secret }, associatedData, record)).toBe(false);
  });

  it('fails to open with its id overwritten', () => {
    const other = { id: randomUUID(), secret: randomBytes(32) };
    const renamed = Buffer.concat([record.subarray(0, 2), Buffer.from(other.id), record.subarray(38)]);
    expect(keyIdOf(renamed)).toBe(other.id);
    expect(opens(other, associatedData, renamed)).toBe(false);
  });

  it('fails to open with the commitment of the other key', () => {
    const other = { id: key.id, secret: randomBytes(32) };
    const theirs = seal(other, associatedData, 'value');
    const mixed = Buffer.concat([record.subarray(0, 38), theirs.subarray(38, 102), record.subarray(102)]);
    expect(opens(other, associatedData, mixed)).toBe(false);
    expect(opens(key, associatedData, mixed)).toBe(false);
  });
});

describe('the format', () => {
  const text = (value: string) => Buffer.concat([Buffer.of(0, 0, 0, value.length), Buffer.from(value)]);
  const encodedData = Buffer.concat([associatedData.table, associatedData.column, associatedData.userId, associatedData.rowId].map(text));

  /** A record written from the format's description alone, with the given fault. */
  function written(fault: { commitment?: Buffer; boundHeader?: boolean } = {}): Buffer {
    const salt = randomBytes(32);
    const derived = Buffer.from(hkdfSync('sha256', key.secret, salt, 'steward/envelope/v1', 76));
    const header = Buffer.concat([Buffer.of(1, 36), Buffer.from(key.id), salt, fault.commitment ?? derived.subarray(44)]);
    const cipher = createCipheriv('aes-256-gcm', derived.subarray(0, 32), derived.subarray(32, 44), { authTagLength: 16 });
    cipher.setAAD(fault.boundHeader === false ? encodedData : Buffer.concat([header, encodedData]));
    return Buffer.concat([header, cipher.update('by hand'), cipher.final(), cipher.getAuthTag()]);
  }

  it('is version, key id, salt, commitment, ciphertext and tag', () => {
    expect(open(key, associatedData, written()).toString()).toBe('by hand');
  });

  it('commits to the key: a ciphertext that is genuine under this key, but committed to another, does not open', () => {
    expect(opens(key, associatedData, written({ commitment: randomBytes(32) }))).toBe(false);
  });

  it('binds its header', () => {
    expect(opens(key, associatedData, written({ boundHeader: false }))).toBe(false);
  });
});

describe('an error', () => {
  const secret = 'a very secret value';
  const record = seal(key, associatedData, secret);

  it('is the same whatever failed, names the position in its cause, and holds no content', () => {
    const cut = failure(() => open(key, associatedData, record.subarray(0, 20)));
    const flipped = Buffer.from(record);
    flipped[record.length - 1] = (flipped[record.length - 1] ?? 0) ^ 1;
    const failures = [
      cut,
      failure(() => open(key, associatedData, flipped)),
      failure(() => open(key, associatedData, Buffer.alloc(0))),
      failure(() => open({ id: 'other', secret: key.secret }, associatedData, record)),
      failure(() => open({ id: key.id, secret: randomBytes(32) }, associatedData, record)),
    ];
    for (const error of failures) {
      expect(error).toMatchObject({ code: 'internal', message: cut.message });
      expect((error.cause as Error).message).toBe((cut.cause as Error).message);
      expect(inspect(error, { depth: 9 })).not.toContain(secret);
    }
    expect((cut.cause as Error).message).toContain('grants.tokens, row row-1');
  });
});

describe('keyIdOf', () => {
  it('names the key of a record', () => {
    expect(keyIdOf(seal(key, associatedData, 'x'))).toBe(key.id);
  });

  it('rejects bytes that are not a record', () => {
    for (const bytes of [Buffer.alloc(0), Buffer.of(1), Buffer.alloc(200), Buffer.of(2, ...seal(key, associatedData, 'x').subarray(1))]) {
      expect(failure(() => keyIdOf(bytes)).code).toBe('internal');
    }
  });
});
