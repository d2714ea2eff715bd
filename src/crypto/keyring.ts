import type { KeyObject } from 'node:crypto';
import type { MasterKey } from '../config/master-key-list.ts';
import { AppError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import { type KeyService, KmsMasterKey } from './kms-master-key.ts';
import { CANARY_PURPOSE, type KeyContext, LocalMasterKey, type MasterKeyHandle, masterKeyIdOf } from './master-key.ts';

/** A data key as it is stored. */
export interface WrappedKey {
  masterKeyId: string;
  wrapped: Buffer;
}

export interface KeyringDeps {
  /** Receives an error when data is wrapped under a missing key. */
  logger?: Logger;
  /** The key service of master keys whose secret this process does not hold. */
  service?: KeyService;
}

/** The master keys: the first, the primary, wraps data keys; each of them unwraps what it wrapped. */
export class Keyring {
  readonly #deps: KeyringDeps;
  #keys: readonly MasterKeyHandle[];

  constructor(keys: readonly MasterKey[], deps: KeyringDeps = {}) {
    this.#deps = deps;
    this.#keys = this.#handles(keys, []);
  }

  get primaryId(): string {
    return (this.#keys[0] as MasterKeyHandle).id;
  }

  /** The ids of all keys, the primary first. */
  get ids(): string[] {
    return this.#keys.map((key) => key.id);
  }

  /** Encrypts a data key under the primary master key. @throws AppError `unavailable` while the key service is */
  async wrap(secret: Buffer, context: KeyContext): Promise<WrappedKey> {
    const masterKeyId = this.primaryId;
    return { masterKeyId, wrapped: await this.wrapUnder(masterKeyId, secret, context) };
  }

  /**
   * Decrypts what {@link wrap} returned for the same context, under any of the master keys.
   *
   * @throws AppError `internal`, also for a missing master key, whose id is logged; `unavailable` while the key service is
   */
  unwrap(wrapped: Buffer, context: KeyContext): Promise<KeyObject> {
    const id = masterKeyIdOf(wrapped);
    if (id === undefined) return Promise.reject(cannotDecrypt('not a wrapped key'));
    const key = this.#find(id);
    if (key !== undefined) return key.unwrap(wrapped, context);
    this.#deps.logger?.error({ key_id: id }, 'a master key that data is wrapped under is missing');
    return Promise.reject(cannotDecrypt(`no master key ${id}`));
  }

  /** Encrypts a known value under one of the keys. Stored, it shows at the next start whether the key is the same. */
  sealCanary(id: string): Promise<Buffer> {
    return this.wrapUnder(id, Buffer.from(CANARY), canaryContext(id));
  }

  /** Encrypts a secret under one of the keys. @throws AppError `unavailable` while the key service is */
  async wrapUnder(id: string, secret: Buffer, context: KeyContext): Promise<Buffer> {
    const key = this.#find(id);
    if (key === undefined) throw new Error(`no master key ${id}`);
    return key.wrap(secret, context);
  }

  /**
   * Whether the key with this id is the one that encrypted the canary.
   *
   * @throws AppError `unavailable`
   */
  async checkCanary(id: string, record: Buffer): Promise<boolean> {
    const key = this.#find(id);
    try {
      return key !== undefined && (await key.unwrap(record, canaryContext(id))).export().toString() === CANARY;
    } catch (error) {
      if (error instanceof AppError && error.code === 'unavailable') throw error;
      return false;
    }
  }

  /**
   * Replaces the keys by a new list, the primary first.
   *
   * @throws Error when the list is empty or gives a known id another secret; the keys are then unchanged
   */
  replace(keys: readonly MasterKey[]): void {
    this.#keys = this.#handles(keys, this.#keys);
  }

  #find(id: string): MasterKeyHandle | undefined {
    return this.#keys.find((key) => key.id === id);
  }

  #handles(keys: readonly MasterKey[], known: readonly MasterKeyHandle[]): MasterKeyHandle[] {
    if (keys.length === 0) throw new Error('a keyring needs a key');
    return keys.map((key) => {
      const existing = known.find((handle) => handle.id === key.id);
      if (existing === undefined) return this.#handle(key);
      if (!existing.isFor(key)) throw new Error(`key ${key.id} has another value than before; a new key needs a new id`);
      return existing;
    });
  }

  #handle(key: MasterKey): MasterKeyHandle {
    if ('secret' in key) return new LocalMasterKey(key);
    if (this.#deps.service === undefined) throw new Error(`key ${key.id} is held by a key service, and none is configured`);
    return new KmsMasterKey(key, this.#deps.service);
  }
}

const CANARY = 'steward';

function canaryContext(id: string): KeyContext {
  return { purpose: CANARY_PURPOSE, userId: '', keyId: id };
}

function cannotDecrypt(cause: string): AppError {
  return new AppError('internal', 'Stored data could not be read.', { cause: new Error(cause) });
}
