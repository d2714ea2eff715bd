import { hash, type KeyObject } from 'node:crypto';

/** Of SHA-256, bytes. */
const BLOCK = 64;
const DIGEST = 32;
/** Room for the texts that are usual; longer ones get their own. */
const ROOM = 16 * 1024;
const scratch = Buffer.alloc(ROOM);

/**
 * HMAC-SHA-256 (RFC 2104) of one text after the other. Two one-shot hashes: an object of `createHmac` for each text takes
 * three times as long and is one more thing to collect.
 */
export class KeyedHash {
  readonly #inner: Buffer;
  readonly #outer = Buffer.alloc(BLOCK + DIGEST);

  /** @param key at most 64 bytes */
  constructor(key: KeyObject) {
    const bytes = key.export();
    if (bytes.length > BLOCK) throw new Error('a key of a keyed hash has at most 64 bytes');
    const padded = Buffer.alloc(BLOCK);
    padded.set(bytes);
    this.#inner = padded.map((byte) => byte ^ 0x36) as Buffer;
    this.#outer.set(padded.map((byte) => byte ^ 0x5c));
  }

  /** @returns 64 hexadecimal digits */
  hex(text: string): string {
    this.#outer.write(hash('sha256', this.#withKey(text), 'binary'), BLOCK, 'binary');
    return hash('sha256', this.#outer, 'hex');
  }

  #withKey(text: string): Buffer {
    // No character of a string takes more than three bytes of UTF-8.
    if (BLOCK + 3 * text.length > ROOM) return Buffer.concat([this.#inner, Buffer.from(text)]);
    scratch.set(this.#inner);
    return scratch.subarray(0, BLOCK + scratch.write(text, BLOCK));
  }
}
