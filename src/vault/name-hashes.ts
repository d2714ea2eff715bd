import { createHash, createHmac, type KeyObject, randomBytes } from 'node:crypto';
import type { Keyring } from '../crypto/keyring.ts';
import type { KeyContext } from '../crypto/master-key.ts';
import type { Queryable } from '../database/database.ts';
import { AppError } from '../errors.ts';
import {
  insertHashSecret,
  replaceIdentities,
  type SecretCopy,
  selectHashSecrets,
  selectUnkeyedIdentities,
} from './name-hashes-repository.ts';

const SECRET_BYTES = 32;
const BATCH = 500;

/**
 * Hashes of names that outlive their user: whoever has the database alone can't tell whose they are by trying names.
 * They are the same on all replicas, and stay the same when master keys change.
 */
export class NameHashes {
  readonly #db: Queryable;
  readonly #keyring: Keyring;
  #opened: Promise<KeyObject> | undefined;

  constructor(db: Queryable, keyring: Keyring) {
    this.#db = db;
    this.#keyring = keyring;
  }

  /** Whose ID token it is. @throws AppError `unavailable`, `internal` when the secret can't be read */
  async identity(issuer: string, subject: string): Promise<Buffer> {
    return keyedIdentity(await this.#secret(), createHash('sha256').update(`${issuer}\0${subject}`).digest());
  }

  /** A provider's account. @throws AppError as {@link identity} */
  async account(provider: string, subject: string): Promise<string> {
    return hmac(await this.#secret(), `account\0${provider}\0${subject}`).toString('hex');
  }

  /** Hashes anew what a release of before has hashed without the key, which is at hand from then on. */
  async convert(): Promise<void> {
    // First: while the key service is away, no later request can read it.
    const secret = await this.#secret();
    for (let found = BATCH; found === BATCH; ) {
      const before = await selectUnkeyedIdentities(this.#db, BATCH);
      found = before.length;
      if (found === 0) return;
      await replaceIdentities(
        this.#db,
        before,
        before.map((identity) => keyedIdentity(secret, identity)),
      );
    }
  }

  /** Read once: by a service at its start, by a command when it is needed, never within a transaction. */
  #secret(): Promise<KeyObject> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async #open(): Promise<KeyObject> {
    const copy = readableAmong(await selectHashSecrets(this.#db), this.#keyring);
    if (copy !== undefined) return this.#keyring.unwrap(copy.wrapped, contextOf(copy.masterKeyId));
    throw new AppError('internal', 'Something went wrong on our side.', { cause: new Error('there is no secret for hashes of names') });
  }
}

/**
 * Makes the secret at the first start, and a copy under each master key that has none.
 *
 * @throws AppError `unavailable` while the key service is away
 */
export async function shareHashSecret(db: Queryable, keyring: Keyring): Promise<void> {
  let copies = await selectHashSecrets(db);
  if (readableAmong(copies, keyring) === undefined) {
    await insertHashSecret(db, await wrapped(keyring, keyring.primaryId, randomBytes(SECRET_BYTES)));
    // Of two first starts at once, one has won.
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

/** The master key is part of it: a copy moved to another's row doesn't open. */
function contextOf(masterKeyId: string): KeyContext {
  return { purpose: 'name-hashes', userId: '', keyId: masterKeyId };
}

function keyedIdentity(secret: KeyObject, identity: Buffer): Buffer {
  return hmac(secret, `identity\0${identity.toString('hex')}`);
}

function hmac(secret: KeyObject, text: string): Buffer {
  return createHmac('sha256', secret).update(text).digest();
}
