import { createSecretKey, type KeyObject } from 'node:crypto';
import type { LocalKey, MasterKey } from '../config/master-key-list.ts';
import { type AssociatedData, open, seal } from './envelope.ts';

/** What a wrapped key is for; it unwraps only for the same three values. */
export interface KeyContext {
  purpose: string;
  /** '' where it belongs to nobody. */
  userId: string;
  keyId: string;
}

/** One master key, wherever its secret is. */
export interface MasterKeyHandle {
  readonly id: string;
  /** Whether it stands for this key: the same secret, or the same name at the key service. */
  isFor(key: MasterKey): boolean;
  /**
   * @returns a record that begins with a version, the length of the key's id, and the id: see {@link masterKeyIdOf}
   * @throws AppError `unavailable` while the key can't be used
   */
  wrap(secret: Buffer, context: KeyContext): Promise<Buffer>;
  /** @throws AppError `internal` when the record was altered or has another context, `unavailable` while the key can't be used */
  unwrap(wrapped: Buffer, context: KeyContext): Promise<KeyObject>;
}

/** Of the known value that is kept beside the data. */
export const CANARY_PURPOSE = 'canary';

const ID_START = 2;

/** The id of the master key that a record says it was wrapped by; undefined when it says none. Only unwrapping proves it. */
export function masterKeyIdOf(wrapped: Buffer): string | undefined {
  const end = ID_START + (wrapped[1] ?? 0);
  return end > ID_START && wrapped.length > end ? wrapped.toString('utf8', ID_START, end) : undefined;
}

/** A master key whose secret this process holds: it seals the other keys. */
export class LocalMasterKey implements MasterKeyHandle {
  readonly id: string;
  /** A KeyObject prints empty, where a Buffer in a log or a stack dump would not. */
  readonly #secret: KeyObject;

  constructor({ id, secret }: LocalKey) {
    this.id = id;
    this.#secret = createSecretKey(secret);
  }

  isFor(key: MasterKey): boolean {
    return 'secret' in key && this.#secret.equals(createSecretKey(key.secret));
  }

  async wrap(secret: Buffer, context: KeyContext): Promise<Buffer> {
    return seal({ id: this.id, secret: this.#secret }, placeOf(context), secret);
  }

  async unwrap(wrapped: Buffer, context: KeyContext): Promise<KeyObject> {
    return createSecretKey(open({ id: this.id, secret: this.#secret }, placeOf(context), wrapped));
  }
}

/** Master keys seal nothing but wrapped keys and canaries; the column keeps the two apart. */
function placeOf({ purpose, userId, keyId }: KeyContext): AssociatedData {
  return { table: 'keyring', column: purpose === CANARY_PURPOSE ? purpose : `wrap:${purpose}`, userId, rowId: keyId };
}
