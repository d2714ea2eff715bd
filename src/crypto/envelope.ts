import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { AppError } from '../errors.ts';

/** Where a sealed value lives; bound into the additional data, so that a value moved elsewhere fails to open. */
export interface AssociatedData {
  table: string;
  column: string;
  userId: string;
  rowId: string;
}

/** A 256-bit key and the id that records name it by. Hold the secret as a KeyObject where it is kept: that prints empty. */
export interface DataKey {
  id: string;
  secret: Buffer | KeyObject;
}

// version (1) | key id length (1) | key id | salt (32) | commitment (32) | ciphertext | tag (16)
const VERSION = 1;
const KEY_ID_START = 2;
const SALT_BYTES = 32;
const COMMITMENT_BYTES = 32;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const INFO = 'steward/envelope/v1';

/**
 * Encrypts a value for one place with AES-256-GCM under a key derived for this record alone.
 *
 * A fresh salt a record gives a fresh key and nonce, so no number of records wears a user's key out.
 */
export function seal(key: DataKey, associated: AssociatedData, plaintext: Uint8Array | string): Buffer {
  const keyId = Buffer.from(key.id);
  if (keyId.length === 0 || keyId.length > 255) throw new RangeError('a key id has 1 to 255 bytes');
  const salt = randomBytes(SALT_BYTES);
  const derived = derive(key, salt);
  const header = Buffer.concat([Buffer.of(VERSION, keyId.length), keyId, salt, derived.commitment]);
  const cipher = createCipheriv('aes-256-gcm', derived.key, derived.nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(additionalData(header, associated));
  const ciphertext = Buffer.concat([cipher.update(Buffer.from(plaintext as string)), cipher.final()]);
  return Buffer.concat([header, ciphertext, cipher.getAuthTag()]);
}

/**
 * Decrypts what {@link seal} made for the same place under the same key.
 *
 * @throws AppError `internal`; the cause names the associated. Every failure looks the same, so that it tells nothing
 * about which check refused.
 */
export function open(key: DataKey, associated: AssociatedData, record: Uint8Array): Buffer {
  const plaintext = tryOpen(key, associated, Buffer.from(record));
  if (plaintext !== undefined) return plaintext;
  throw new AppError('internal', 'Stored data could not be read.', {
    cause: new Error(`sealed value does not open: ${associated.table}.${associated.column}, row ${associated.rowId}`),
  });
}

/**
 * The id of the key a record was sealed under, as the record claims it; only {@link open} proves it.
 *
 * @throws AppError `internal` when the bytes are no record
 */
export function keyIdOf(record: Uint8Array): string {
  const parts = split(Buffer.from(record));
  if (parts !== undefined) return parts.keyId.toString();
  throw new AppError('internal', 'Stored data could not be read.', { cause: new Error('not a sealed value') });
}

function tryOpen(key: DataKey, associated: AssociatedData, record: Buffer): Buffer | undefined {
  const parts = split(record);
  if (parts === undefined || !parts.keyId.equals(Buffer.from(key.id))) return undefined;
  const derived = derive(key, parts.salt);
  // GCM alone doesn't commit to its key: one ciphertext can be made to open under two.
  if (!timingSafeEqual(derived.commitment, parts.commitment)) return undefined;
  // Without authTagLength Node would also take tags of 4 bytes.
  const decipher = createDecipheriv('aes-256-gcm', derived.key, derived.nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(additionalData(parts.header, associated));
  decipher.setAuthTag(parts.tag);
  try {
    return Buffer.concat([decipher.update(parts.ciphertext), decipher.final()]);
  } catch {
    return undefined;
  }
}

function split(record: Buffer) {
  const saltStart = KEY_ID_START + (record[1] ?? 0);
  const commitmentStart = saltStart + SALT_BYTES;
  const headerEnd = commitmentStart + COMMITMENT_BYTES;
  const tagStart = record.length - TAG_BYTES;
  if (record[0] !== VERSION || saltStart === KEY_ID_START || tagStart < headerEnd) return undefined;
  return {
    header: record.subarray(0, headerEnd),
    keyId: record.subarray(KEY_ID_START, saltStart),
    salt: record.subarray(saltStart, commitmentStart),
    commitment: record.subarray(commitmentStart, headerEnd),
    ciphertext: record.subarray(headerEnd, tagStart),
    tag: record.subarray(tagStart),
  };
}

/** RFC 5869: one expansion gives the cipher's key and nonce, and a commitment to the data key. */
function derive(key: DataKey, salt: Buffer): { key: KeyObject; nonce: Buffer; commitment: Buffer } {
  // Node takes keys as buffers too, but finds out by an exception that they are none of its objects: half the time of it all.
  const secret = Buffer.isBuffer(key.secret) ? createSecretKey(key.secret) : key.secret;
  if (secret.symmetricKeySize !== KEY_BYTES) throw new RangeError(`key ${key.id} does not have ${KEY_BYTES} bytes`);
  const bytes = Buffer.from(hkdfSync('sha256', secret, salt, INFO, KEY_BYTES + NONCE_BYTES + COMMITMENT_BYTES));
  return {
    key: createSecretKey(bytes.subarray(0, KEY_BYTES)),
    nonce: bytes.subarray(KEY_BYTES, KEY_BYTES + NONCE_BYTES),
    commitment: bytes.subarray(KEY_BYTES + NONCE_BYTES),
  };
}

/** Each part carries its length: without it, table `a` column `bc` would equal table `ab` column `c`. */
function additionalData(header: Buffer, associated: AssociatedData): Buffer {
  const parts = [associated.table, associated.column, associated.userId, associated.rowId].flatMap((text) => {
    const bytes = Buffer.from(text);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return [length, bytes];
  });
  return Buffer.concat([header, ...parts]);
}
