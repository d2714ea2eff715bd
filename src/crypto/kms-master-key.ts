import { createHash, createSecretKey, type KeyObject } from 'node:crypto';
import type { Clock } from '../clock/clock.ts';
import type { KmsKey, MasterKey } from '../config/master-key-list.ts';
import { AppError } from '../errors.ts';
import { type BoundedMap, boundedMap } from '../rate-limit/bounded-map.ts';
import type { KeyContext, MasterKeyHandle } from './master-key.ts';

/** A service that holds keys and encrypts with them, authenticating the context. */
export interface KeyService {
  /** Dates what is cached of it. */
  readonly clock: Clock;
  /** @throws AppError `unavailable` */
  encrypt(arn: string, plaintext: Buffer, context: Record<string, string>): Promise<Buffer>;
  /** @throws AppError `internal` when the ciphertext does not decrypt under this key and context, `unavailable` */
  decrypt(arn: string, ciphertext: Buffer, context: Record<string, string>): Promise<Buffer>;
}

// version (1) | key id length (1) | key id | what the service returned
const VERSION = 2;
/** Also how long a key that is disabled at the service still unwraps. */
const CACHE_TTL_MS = 15 * 60_000;
const CACHE_MAX = 10_000;

/**
 * A master key held by a key service. Unwrapped keys are cached, so that the service receives few requests and its
 * outage does not affect users who were active before.
 */
export class KmsMasterKey implements MasterKeyHandle {
  readonly id: string;
  readonly #arn: string;
  readonly #service: KeyService;
  readonly #header: Buffer;
  readonly #unwrapped: BoundedMap<Promise<KeyObject>>;

  constructor({ id, arn }: KmsKey, service: KeyService) {
    this.id = id;
    this.#arn = arn;
    this.#service = service;
    this.#unwrapped = boundedMap(CACHE_MAX, { clock: service.clock, ttlMs: CACHE_TTL_MS });
    this.#header = Buffer.concat([Buffer.of(VERSION, Buffer.byteLength(id)), Buffer.from(id)]);
  }

  isFor(key: MasterKey): boolean {
    return 'arn' in key && key.arn === this.#arn;
  }

  async wrap(secret: Buffer, context: KeyContext): Promise<Buffer> {
    return Buffer.concat([this.#header, await this.#service.encrypt(this.#arn, secret, encryptionContext(context))]);
  }

  unwrap(wrapped: Buffer, context: KeyContext): Promise<KeyObject> {
    const cacheKey = cacheKeyOf(wrapped, context);
    const cached = this.#unwrapped.get(cacheKey);
    if (cached !== undefined) return cached;
    const key = this.#decrypt(wrapped, context);
    this.#unwrapped.set(cacheKey, key);
    key.catch(() => {
      if (this.#unwrapped.peek(cacheKey) === key) this.#unwrapped.delete(cacheKey);
    });
    return key;
  }

  async #decrypt(wrapped: Buffer, context: KeyContext): Promise<KeyObject> {
    if (!wrapped.subarray(0, this.#header.length).equals(this.#header)) {
      throw new AppError('internal', 'Stored data could not be read.', {
        cause: new Error(`not wrapped by key ${this.id} of the key service`),
      });
    }
    return createSecretKey(await this.#service.decrypt(this.#arn, wrapped.subarray(this.#header.length), encryptionContext(context)));
  }
}

/** The encryption context: not secret, logged by the service, and required to decrypt. */
function encryptionContext({ purpose, userId, keyId }: KeyContext): Record<string, string> {
  return { service: 'steward', purpose, ...(userId !== '' && { user: userId }), key: keyId };
}

function cacheKeyOf(wrapped: Buffer, { purpose, userId, keyId }: KeyContext): string {
  return createHash('sha256')
    .update(JSON.stringify([purpose, userId, keyId]))
    .update(wrapped)
    .digest('base64');
}
