import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { AppError } from '../errors.ts';

/** The position of an encrypted value, authenticated with it: a value moved to another position does not decrypt. */
export interface AssociatedData {
  table: string;
  column: string;
  userId: string;
  rowId: string;
}

/** A 256-bit key and its id in records. Keep the secret as a KeyObject, which prints without its bytes. */
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
 * Encrypts a value with AES-256-GCM under a key and nonce derived for this record from a random salt, so that the
 * number of records under one data key is not limited.
 *
 * @throws RangeError on a key that does not have 32 bytes, or an id that does not have 1 to 255
 */
export function seal(key: DataKey, associatedData: AssociatedData, plaintext: Uint8Array | string): Buffer {
  const keyId = Buffer.from(key.id);
  if (keyId.length === 0 || keyId.length > 255) throw new RangeError('a key id has 1 to 255 bytes');
  const salt = randomBytes(SALT_BYTES);
  const derived = derive(key, salt);
  const header = Buffer.concat([Buffer.of(VERSION, keyId.length), keyId, salt, derived.commitment]);
  const cipher = createCipheriv('aes-256-gcm', derived.key, derived.nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(encodeAdditionalData(header, associatedData));
  const ciphertext = Buffer.concat([cipher.update(Buffer.from(plaintext as string)), cipher.final()]);
  return Buffer.concat([header, ciphertext, cipher.getAuthTag()]);
}

/**
 * Decrypts what {@link seal} returned for the same associated data and key.
 *
 * @throws AppError `internal`; the cause names the position. Errors do not tell which check failed.
 */
export function open(key: DataKey, associatedData: AssociatedData, record: Uint8Array): Buffer {
  const plaintext = tryOpen(key, associatedData, Buffer.from(record));
  if (plaintext !== undefined) return plaintext;
  throw new AppError('internal', 'Stored data could not be read.', {
    cause: new Error(`stored value cannot be decrypted: ${associatedData.table}.${associatedData.column}, row ${associatedData.rowId}`),
  });
}

/**
 * The key id in a record's header, which only {@link open} authenticates.
 *
 * @throws AppError `internal` when the bytes are not a record
 */
export function keyIdOf(record: Uint8Array): string {
  const parts = split(Buffer.from(record));
  if (parts !== undefined) return parts.keyId.toString();
  throw new AppError('internal', 'Stored data could not be read.', { cause: new Error('not an encrypted record') });
}

function tryOpen(key: DataKey, associatedData: AssociatedData, record: Buffer): Buffer | undefined {
  const parts = split(record);
  if (parts === undefined || !parts.keyId.equals(Buffer.from(key.id))) return undefined;
  const derived = derive(key, parts.salt);
  // GCM does not commit to its key: a ciphertext can be made that decrypts under two keys.
  if (!timingSafeEqual(derived.commitment, parts.commitment)) return undefined;
  // Without authTagLength Node also accepts tags of 4 bytes.
  const decipher = createDecipheriv('aes-256-gcm', derived.key, derived.nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(encodeAdditionalData(parts.header, associatedData));
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

/** One HKDF expansion (RFC 5869) gives the cipher's key and nonce, and a commitment to the data key. */
function derive(key: DataKey, salt: Buffer): { key: KeyObject; nonce: Buffer; commitment: Buffer } {
  // hkdfSync also takes a Buffer, but converts it by way of an exception: half the time of the whole derivation.
  const secret = Buffer.isBuffer(key.secret) ? createSecretKey(key.secret) : key.secret;
  if (secret.symmetricKeySize !== KEY_BYTES) throw new RangeError(`key ${key.id} does not have ${KEY_BYTES} bytes`);
  const bytes = Buffer.from(hkdfSync('sha256', secret, salt, INFO, KEY_BYTES + NONCE_BYTES + COMMITMENT_BYTES));
  return {
    key: createSecretKey(bytes.subarray(0, KEY_BYTES)),
    nonce: bytes.subarray(KEY_BYTES, KEY_BYTES + NONCE_BYTES),
    commitment: bytes.subarray(KEY_BYTES + NONCE_BYTES),
  };
}

/** Each part is length-prefixed: otherwise table `a`, column `bc` would equal table `ab`, column `c`. */
function encodeAdditionalData(header: Buffer, { table, column, userId, rowId }: AssociatedData): Buffer {
  const parts = [table, column, userId, rowId].flatMap((text) => {
    const bytes = Buffer.from(text);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return [length, bytes];
  });
  return Buffer.concat([header, ...parts]);
}
