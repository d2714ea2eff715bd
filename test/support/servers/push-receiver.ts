import { createDecipheriv, createECDH, type ECDH, hkdfSync, randomBytes } from 'node:crypto';

/** Decrypts as a browser does (RFC 8291, 3.4; RFC 8188, 2). */
export class PushReceiver {
  readonly #ecdh: ECDH = createECDH('prime256v1');
  readonly #auth: Buffer;

  /** @param given a private key and a secret, base64url; by default new ones */
  constructor(given?: { privateKey: string; auth: string }) {
    if (given === undefined) this.#ecdh.generateKeys();
    else this.#ecdh.setPrivateKey(given.privateKey, 'base64url');
    this.#auth = given === undefined ? randomBytes(16) : Buffer.from(given.auth, 'base64url');
  }

  get keys(): { p256dh: string; auth: string } {
    return { p256dh: this.#ecdh.getPublicKey('base64url'), auth: this.#auth.toString('base64url') };
  }

  decrypt(body: Buffer): string {
    const [salt, idLength] = [body.subarray(0, 16), body[20] ?? 0];
    const sender = body.subarray(21, 21 + idLength);
    const record = body.subarray(21 + idLength);
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.#ecdh.getPublicKey(), sender]);
    const secret = Buffer.from(hkdfSync('sha256', this.#ecdh.computeSecret(sender), this.#auth, info, 32));
    const key = Buffer.from(hkdfSync('sha256', secret, salt, 'Content-Encoding: aes128gcm\0', 16));
    const nonce = Buffer.from(hkdfSync('sha256', secret, salt, 'Content-Encoding: nonce\0', 12));
    const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(record.subarray(-16));
    const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
    return padded.subarray(0, padded.lastIndexOf(2)).toString();
  }
}
