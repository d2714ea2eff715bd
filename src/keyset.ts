/** One master key: its id as operators name it, and 32 random bytes. */
export interface MasterKey {
  id: string;
  secret: Buffer;
}

const KEY_BYTES = 32;
const KEY_ID = /^[A-Za-z0-9_.-]{1,64}$/;
/** The value printed in .env.example: anyone may know it. */
const SAMPLE_PREFIX = 'REPLACE';

/**
 * Parses `id:base64,id:base64,…` (commas or new lines). The first key seals, all open.
 *
 * @throws Error with a message that names the key id at fault, never its value
 */
export function parseKeyset(text: string): MasterKey[] {
  const entries = text
    .split(/[,\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  if (entries.length === 0) throw new Error('holds no key');
  const keys = entries.map(parseKey);
  const ids = new Set(keys.map((key) => key.id));
  if (ids.size !== keys.length) throw new Error('names the same key id twice');
  const secrets = new Set(keys.map((key) => key.secret.toString('base64')));
  if (secrets.size !== keys.length) throw new Error('holds the same key under two ids');
  return keys;
}

function parseKey(entry: string, index: number): MasterKey {
  const colon = entry.indexOf(':');
  const id = entry.slice(0, Math.max(colon, 0));
  if (!KEY_ID.test(id)) throw new Error(`entry ${index + 1} is not of the form id:base64`);
  const encoded = entry.slice(colon + 1);
  if (encoded.startsWith(SAMPLE_PREFIX)) throw new Error(`key ${id} is the sample from .env.example`);
  const secret = Buffer.from(encoded, 'base64');
  const canonical = secret.toString('base64').replace(/=+$/, '');
  if (canonical !== encoded.replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/')) {
    throw new Error(`key ${id} is not base64`);
  }
  if (secret.length !== KEY_BYTES) throw new Error(`key ${id} has ${secret.length} bytes instead of ${KEY_BYTES}`);
  if (secret.every((byte) => byte === 0)) throw new Error(`key ${id} is all zeros; make one with: openssl rand -base64 32`);
  return { id, secret };
}
