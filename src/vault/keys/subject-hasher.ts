import { createHmac, type KeyObject, randomBytes } from 'node:crypto';
import { loadOnce } from '../../concurrency/load-once.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import type { KeyContext } from '../../crypto/master-key.ts';
import type { Queryable } from '../../database/database.ts';
import { internalError } from '../../errors.ts';
import { addressKey } from '../../validation/email-address.ts';
import { insertHashSecret, type SecretCopy, selectHashSecrets } from './name-hashes-repository.ts';

const SECRET_BYTES = 32;

/**
 * Keyed hashes of names that outlive their user. Without the key, the database alone does not allow names to be guessed.
 * The hashes are the same on all replicas and do not change with the master keys.
 */
export class SubjectHasher {
  readonly #db: Queryable;
  readonly #keyring: Keyring;
  /** Read once: by a service when it starts, by a command when it needs it, never inside a transaction. */
  readonly #secret = loadOnce(() => this.#open());

  constructor(db: Queryable, keyring: Keyring) {
    this.#db = db;
    this.#keyring = keyring;
  }

  /** The hash of an identity. @throws AppError `unavailable`, `internal` when the secret cannot be read */
  async identity(issuer: string, subject: string): Promise<Buffer> {
    return hmac(await this.#secret(), `identity\0${issuer}\0${subject}`);
  }

  /** The hash of an account at a provider. @throws AppError as {@link identity} */
  async account(provider: string, subject: string): Promise<string> {
    return hmac(await this.#secret(), `account\0${provider}\0${subject}`).toString('hex');
  }

  /** The hash of a mail address, in any spelling of it. @throws AppError as {@link identity} */
  async address(address: string): Promise<Buffer> {
    return hmac(await this.#secret(), `address\0${addressKey(address)}`);
  }

  /** Reads the secret: while the key service is unavailable, no request could. @throws AppError as {@link identity} */
  async load(): Promise<void> {
    await this.#secret();
  }

  async #open(): Promise<KeyObject> {
    const copy = readableAmong(await selectHashSecrets(this.#db), this.#keyring);
    if (copy !== undefined) return this.#keyring.unwrap(copy.wrapped, contextOf(copy.masterKeyId));
    throw internalError('there is no secret for hashes of names');
  }
}

/**
 * Creates the secret at the first start, and a copy for each master key that has none.
 *
 * @throws AppError `unavailable` while the key service is unavailable
 */
export async function shareHashSecret(db: Queryable, keyring: Keyring): Promise<void> {
  let copies = await selectHashSecrets(db);
  if (readableAmong(copies, keyring) === undefined) {
    await insertHashSecret(db, await wrapped(keyring, keyring.primaryId, randomBytes(SECRET_BYTES)));
    // Another replica that started at the same time may have stored its secret first.
    copies = await selectHashSecrets(db);
  }
  const missing = keyring.ids.filter((id) => copies.every(({ masterKeyId }) => masterKeyId !== id));
  const copy = readableAmong(copies, keyring);
  if (missing.length === 0 || copy === undefined) return;
  const secret = (await keyring.unwrap(copy.wrapped, contextOf(copy.masterKeyId))).export();
  for (const id of missing) await insertHashSecret(db, await wrapped(keyring, id, secret));
}

function readableAmong(copies: readonly SecretCopy[], keyring: Keyring): SecretCopy | undefined {
  return copies.find(({ masterKeyId }) => keyring.ids.includes(masterKeyId));
}

async function wrapped(keyring: Keyring, masterKeyId: string, secret: Buffer): Promise<SecretCopy> {
  return { masterKeyId, wrapped: await keyring.wrapUnder(masterKeyId, secret, contextOf(masterKeyId)) };
}

/** Contains the master key, so that a copy moved to another row cannot be decrypted. */
function contextOf(masterKeyId: string): KeyContext {
  return { purpose: 'name-hashes', userId: '', keyId: masterKeyId };
}

function hmac(secret: KeyObject, text: string): Buffer {
  return createHmac('sha256', secret).update(text).digest();
}
