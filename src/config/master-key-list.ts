/** A master key in this process: 32 random bytes. */
export interface LocalKey {
  /** The operator's name for it. */
  id: string;
  secret: Buffer;
}

/** A master key in AWS KMS, which never leaves it. */
export interface KmsKey {
  id: string;
  /** ARN of the KMS key. */
  arn: string;
}

export type MasterKey = LocalKey | KmsKey;

const KEY_BYTES = 32;
const KEY_ID = /^[A-Za-z0-9_.-]{1,64}$/;
/** With either alphabet (RFC 4648, 4 and 5), padded or not; Node skips any other character. */
const BASE64 = /^[\w+/-]*={0,2}$/;
/** The sample value in .env.example, which is public. */
const SAMPLE_PREFIX = 'REPLACE';
const KMS_PREFIX = 'aws-kms:';
/** The ARN of a key, not of an alias: an alias can be moved to another key, which cannot decrypt the existing data. */
const KMS_ARN = /^arn:aws[a-z-]*:kms:([a-z0-9-]+):\d{12}:key\/[A-Za-z0-9-]+$/;

/**
 * Parses `id:base64,id:aws-kms:arn,…` (separated by commas or line breaks). The first key encrypts, all keys decrypt.
 *
 * @throws Error with a message that contains the id of the invalid key, never its value
 */
export function parseKeyset(text: string): MasterKey[] {
  const entries = text
    .split(/[,\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  if (entries.length === 0) throw new Error('contains no key');
  const keys = entries.map(parseKey);
  const ids = new Set(keys.map((key) => key.id));
  if (ids.size !== keys.length) throw new Error('contains a key id twice');
  const values = new Set(keys.map(textOf));
  if (values.size !== keys.length) throw new Error('contains the same key under two ids');
  return keys;
}

/** A list of keys that {@link parseKeyset} parses, one key per line. */
export function formatKeyset(keys: readonly MasterKey[]): string {
  return keys.map((key) => `${formatKey(key)}\n`).join('');
}

export function formatKey(key: MasterKey): string {
  return `${key.id}:${textOf(key)}`;
}

/** The region that a KMS key is in. */
export function regionOf(arn: string): string {
  return KMS_ARN.exec(arn)?.[1] ?? '';
}

function textOf(key: MasterKey): string {
  return 'arn' in key ? `${KMS_PREFIX}${key.arn}` : key.secret.toString('base64');
}

function parseKey(entry: string, index: number): MasterKey {
  const colon = entry.indexOf(':');
  const id = entry.slice(0, Math.max(colon, 0));
  if (!KEY_ID.test(id)) throw new Error(`entry ${index + 1} is not of the form id:base64`);
  const value = entry.slice(colon + 1);
  return value.startsWith(KMS_PREFIX) ? parseKmsKey(id, value.slice(KMS_PREFIX.length)) : parseLocalKey(id, value);
}

function parseKmsKey(id: string, arn: string): KmsKey {
  if (!KMS_ARN.test(arn)) throw new Error(`key ${id} is not the ARN of a KMS key, as arn:aws:kms:<region>:<account>:key/<id>`);
  return { id, arn };
}

function parseLocalKey(id: string, encoded: string): LocalKey {
  if (encoded.startsWith(SAMPLE_PREFIX)) throw new Error(`key ${id} is the sample from .env.example`);
  if (!BASE64.test(encoded)) throw new Error(`key ${id} is not base64`);
  const secret = Buffer.from(encoded, 'base64');
  if (secret.length !== KEY_BYTES) throw new Error(`key ${id} has ${secret.length} bytes instead of ${KEY_BYTES}`);
  if (secret.every((byte) => byte === 0)) throw new Error(`key ${id} is all zeros; create one with: openssl rand -base64 32`);
  return { id, secret };
}
