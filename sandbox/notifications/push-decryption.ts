import { createDecipheriv, createECDH, hkdfSync } from 'node:crypto';

/** The keys of a subscription, in base64url (RFC 8291, 3.1 and 3.2). */
export interface PushKeys {
  privateKey: string;
  publicKey: string;
  auth: string;
}

const CURVE = 'prime256v1';
const SALT = 16;
const TAG = 16;
/** Behind salt, record size and the length of the key id (RFC 8188, 2.1). */
const KEY_AT = SALT + 4 + 1;
/** Of the last record, in front of its padding (RFC 8188, 2). */
const END = 2;

/**
 * The text of a push message (RFC 8291, 3.4), whose content is one record of aes128gcm (RFC 8188).
 *
 * @throws Error for what is not encrypted to these keys
 */
export function decryptPush(body: Buffer, keys: PushKeys): string {
  const salt = body.subarray(0, SALT);
  const recordSize = body.readUInt32BE(SALT);
  const sender = body.subarray(KEY_AT, KEY_AT + body.readUInt8(KEY_AT - 1));
  const record = body.subarray(KEY_AT + sender.length);
  if (record.length > recordSize) throw new Error('a push message has one record');
  const own = createECDH(CURVE);
  own.setPrivateKey(Buffer.from(keys.privateKey, 'base64url'));
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), Buffer.from(keys.publicKey, 'base64url'), sender]);
  const secret = derive(own.computeSecret(sender), Buffer.from(keys.auth, 'base64url'), info, 32);
  const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(record.subarray(-TAG));
  const padded = Buffer.concat([decipher.update(record.subarray(0, -TAG)), decipher.final()]);
  const end = padded.findLastIndex((byte) => byte !== 0);
  if (padded[end] !== END) throw new Error('the record has no end');
  return padded.subarray(0, end).toString();
}

/** HKDF with SHA-256 (RFC 5869). */
function derive(input: Uint8Array, salt: Uint8Array, info: Uint8Array, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', input, salt, info, length));
}
