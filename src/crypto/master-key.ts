import { createSecretKey, type KeyObject } from 'node:crypto';
import type { LocalKey, MasterKey } from '../config/master-key-list.ts';
import { type AssociatedData, open, seal } from './envelope.ts';

/** What a wrapped key is for, authenticated with it: it unwraps only for the same three values. */
export interface KeyContext {
  purpose: string;
  /** '' for a key that belongs to no user. */
  userId: string;
  keyId: string;
}

/** One master key, held by this process or by a key service. */
export interface MasterKeyHandle {
  readonly id: string;
  /** Whether this is the handle of a key: the same secret, or the same ARN at the key service. */
  isFor(key: MasterKey): boolean;
  /**
   * @returns a record that begins with a version, the length of the key's id, and the id: see {@link masterKeyIdOf}
   * @throws AppError `unavailable` while the key service is
   */
  wrap(secret: Buffer, context: KeyContext): Promise<Buffer>;
  /** @throws AppError `internal` when the record was altered or has another context, `unavailable` while the key service is */
  unwrap(wrapped: Buffer, context: KeyContext): Promise<KeyObject>;
}

/** The purpose of a canary: a known value, stored to verify a master key at start. */
export const CANARY_PURPOSE = 'canary';

const ID_START = 2;

/** The id of the master key in a record's header, which only unwrapping authenticates; undefined when there is none. */
export function masterKeyIdOf(wrapped: Buffer): string | undefined {
  const end = ID_START + (wrapped[1] ?? 0);
  return end > ID_START && wrapped.length > end ? wrapped.toString('utf8', ID_START, end) : undefined;
}

/** A master key whose secret this process holds. */
export class LocalMasterKey implements MasterKeyHandle {
  readonly id: string;
  /** A KeyObject prints without its bytes, a Buffer does not. */
  readonly #secret: KeyObject;

  constructor({ id, secret }: LocalKey) {
    this.id = id;
    this.#secret = createSecretKey(secret);
  }

  isFor(key: MasterKey): boolean {
    return 'secret' in key && this.#secret.equals(createSecretKey(key.secret));
  }

  async wrap(secret: Buffer, context: KeyContext): Promise<Buffer> {
    return seal({ id: this.id, secret: this.#secret }, associatedDataOf(context), secret);
  }

  async unwrap(wrapped: Buffer, context: KeyContext): Promise<KeyObject> {
    return createSecretKey(open({ id: this.id, secret: this.#secret }, associatedDataOf(context), wrapped));
  }
}

/** Master keys encrypt data keys and canaries only; the column tells the two apart. */
function associatedDataOf({ purpose, userId, keyId }: KeyContext): AssociatedData {
  return { table: 'keyring', column: purpose === CANARY_PURPOSE ? purpose : `wrap:${purpose}`, userId, rowId: keyId };
}
