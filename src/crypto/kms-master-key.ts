import { createHash, createSecretKey, type KeyObject } from 'node:crypto';
import type { KmsKey, MasterKey } from '../config/master-key-list.ts';
import { AppError } from '../errors.ts';
import type { KeyContext, MasterKeyHandle } from './master-key.ts';

/** A service that holds keys and encrypts with them; the context is bound into what it returns. */
export interface KeyService {
  /** @throws AppError `unavailable` */
  encrypt(arn: string, plaintext: Buffer, context: Record<string, string>): Promise<Buffer>;
  /** @throws AppError `internal` when it doesn't decrypt under this key and context, `unavailable` */
  decrypt(arn: string, ciphertext: Buffer, context: Record<string, string>): Promise<Buffer>;
}

// version (1) | key id length (1) | key id | what the service returned
const VERSION = 2;
/** A key switched off at the service stops opening within this. */
const KEPT_MS = 15 * 60_000;
const KEPT_MAX = 10_000;

interface Kept {
  opened: Promise<KeyObject>;
  until: number;
}

/**
 * A master key at a key service. Keys that it has unwrapped are kept in memory for a while: the service is asked
 * seldom, and those who were active a moment ago don't notice when it is away.
 */
export class KmsMasterKey implements MasterKeyHandle {
  readonly id: string;
  readonly #arn: string;
  readonly #service: KeyService;
  readonly #header: Buffer;
  readonly #kept = new Map<string, Kept>();

  constructor({ id, arn }: KmsKey, service: KeyService) {
    this.id = id;
    this.#arn = arn;
    this.#service = service;
    this.#header = Buffer.concat([Buffer.of(VERSION, Buffer.byteLength(id)), Buffer.from(id)]);
  }

  isFor(key: MasterKey): boolean {
    return 'arn' in key && key.arn === this.#arn;
  }

  async wrap(secret: Buffer, context: KeyContext): Promise<Buffer> {
    return Buffer.concat([this.#header, await this.#service.encrypt(this.#arn, secret, fieldsOf(context))]);
  }

  unwrap(wrapped: Buffer, context: KeyContext): Promise<KeyObject> {
    const name = nameOf(wrapped, context);
    const kept = this.#kept.get(name);
    if (kept !== undefined && kept.until > performance.now()) return kept.opened;
    const opened = this.#open(wrapped, context);
    this.#keep(name, opened);
    return opened;
  }

  async #open(wrapped: Buffer, context: KeyContext): Promise<KeyObject> {
    if (!wrapped.subarray(0, this.#header.length).equals(this.#header)) {
      throw new AppError('internal', 'Stored data could not be read.', { cause: new Error(`not wrapped by the key service: ${this.id}`) });
    }
    return createSecretKey(await this.#service.decrypt(this.#arn, wrapped.subarray(this.#header.length), fieldsOf(context)));
  }

  /** The oldest goes when there are too many; what failed is asked again. */
  #keep(name: string, opened: Promise<KeyObject>): void {
    this.#kept.delete(name);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size < KEPT_MAX) break;
      this.#kept.delete(oldest);
    }
    const kept = { opened, until: performance.now() + KEPT_MS };
    this.#kept.set(name, kept);
    opened.catch(() => {
      if (this.#kept.get(name) === kept) this.#kept.delete(name);
    });
  }
}

/** The encryption context: not secret, written to the service's own log, and needed again to decrypt. */
function fieldsOf({ purpose, userId, keyId }: KeyContext): Record<string, string> {
  return { service: 'steward', purpose, ...(userId !== '' && { user: userId }), key: keyId };
}

function nameOf(wrapped: Buffer, { purpose, userId, keyId }: KeyContext): string {
  return createHash('sha256')
    .update(JSON.stringify([purpose, userId, keyId]))
    .update(wrapped)
    .digest('base64');
}
