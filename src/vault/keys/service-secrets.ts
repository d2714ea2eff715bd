import { generateKeyPairSync, type JsonWebKey, type KeyObject, randomBytes, randomUUID } from 'node:crypto';
import { loadOnce } from '../../concurrency/load-once.ts';
import { type AssociatedData, type DataKey, keyIdOf, open, seal } from '../../crypto/envelope.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import type { KeyContext } from '../../crypto/master-key.ts';
import type { Database } from '../../database/database.ts';
import { AppError } from '../../errors.ts';
import { deleteServiceSecrets, insertServiceKey, type ServiceKeyRow, selectServiceKeys } from './service-secrets-repository.ts';

const KEY_BYTES = 32;
/** How long a replica uses what it has read. */
const FRESH_MS = 20_000;
/** A new generation is used for making things once every replica accepts what it makes. */
const KNOWN_SECONDS = 60;

/** The secrets of one generation. */
export interface ServiceSecret {
  /** Private key for ES256 (RFC 7518, 3.4), with its `kid`. */
  signingKey: JsonWebKey & { kid: string };
  cookieKey: Uint8Array;
  requestStateKey: Uint8Array;
}

interface Loaded {
  /** Changes with the rows. */
  version: string;
  /** The one to seal with first. */
  keys: readonly DataKey[];
  secrets: readonly ServiceSecret[];
}

/**
 * Secrets of the service itself, the same on all replicas: made at the first use, replaced by {@link rotate}, and stored
 * under a key of their own that a master key wraps.
 */
export class ServiceSecrets {
  readonly #db: Database;
  readonly #keyring: Keyring;
  /** Unwrapped keys by id; a key service is asked once for each. */
  readonly #unwrapped = new Map<string, KeyObject>();
  #loaded: Loaded | undefined;
  #read: () => Promise<Loaded>;

  constructor(db: Database, keyring: Keyring) {
    this.#db = db;
    this.#keyring = keyring;
    this.#read = this.#readOnce();
  }

  /**
   * The secrets that are accepted, the one to use first. The list is the same object until they change.
   *
   * @throws AppError `unavailable`, `internal` when a stored secret can't be read
   */
  async current(): Promise<readonly ServiceSecret[]> {
    return (await this.#read()).secrets;
  }

  /** Keys of 32 bytes for HMACs of request states: the first makes them, all verify them. @throws AppError as {@link current} */
  async requestStateKeys(): Promise<readonly Uint8Array[]> {
    return (await this.current()).map(({ requestStateKey }) => requestStateKey);
  }

  /** Encrypts a value. @throws AppError as {@link current} */
  async seal(place: AssociatedData, plaintext: string): Promise<Buffer> {
    // What was read before is good enough, and a transaction need not wait for another connection.
    const { keys } = this.#loaded ?? (await this.#read());
    return seal(keys[0] as DataKey, place, plaintext);
  }

  /** Decrypts what {@link seal} returned for the same place, on any replica. @throws AppError as {@link current} */
  async open(place: AssociatedData, record: Uint8Array): Promise<Buffer> {
    const id = keyIdOf(record);
    const known = this.#loaded?.keys.find((candidate) => candidate.id === id);
    // Another replica may know a newer one.
    if (known === undefined) this.#read = this.#readOnce();
    const key = known ?? (await this.#read()).keys.find((candidate) => candidate.id === id);
    if (key !== undefined) return open(key, place, record);
    throw new AppError('internal', 'Stored data could not be read.', { cause: new Error('sealed under a service key that is not stored') });
  }

  /**
   * Adds new secrets, which replicas use a minute later. Those of before are accepted until the next rotation.
   *
   * @throws AppError as {@link current}
   */
  async rotate(): Promise<void> {
    const rows = await this.#rows();
    const generation = (rows[0]?.generation ?? 0) + 1;
    await this.#insert(generation);
    await deleteServiceSecrets(this.#db, generation - 1);
    this.#read = this.#readOnce();
  }

  #readOnce(): () => Promise<Loaded> {
    return loadOnce(() => this.#load(), { clock: this.#db.clock, freshMs: FRESH_MS });
  }

  async #load(): Promise<Loaded> {
    const rows = await this.#rows();
    const version = rows.map(({ id, secrets, isKnown }) => `${id} ${secrets === null} ${isKnown}`).join();
    if (this.#loaded?.version === version) return this.#loaded;
    const first = rows.find(({ isKnown }) => isKnown) ?? rows.at(-1);
    const ordered = rows.toSorted((one, other) => Number(other === first) - Number(one === first));
    const opened = await Promise.all(ordered.map((row) => this.#open(row)));
    const secrets = opened.flatMap(({ secret }) => secret ?? []);
    this.#loaded = { version, keys: opened.map(({ key }) => key), secrets };
    return this.#loaded;
  }

  async #rows(): Promise<ServiceKeyRow[]> {
    const rows = await selectServiceKeys(this.#db, KNOWN_SECONDS);
    if (rows.length > 0) return rows;
    await this.#insert(1);
    return selectServiceKeys(this.#db, KNOWN_SECONDS);
  }

  async #open({ id, wrapped, secrets }: ServiceKeyRow): Promise<{ key: DataKey; secret: ServiceSecret | undefined }> {
    const secret = this.#unwrapped.get(id) ?? (await this.#keyring.unwrap(wrapped, serviceKeyContext(id)));
    this.#unwrapped.set(id, secret);
    const key = { id, secret };
    return { key, secret: secrets === null ? undefined : parsed(open(key, secretsPlace(id), secrets)) };
  }

  async #insert(generation: number): Promise<void> {
    const [id, secret] = [randomUUID(), randomBytes(KEY_BYTES)];
    const secrets = seal({ id, secret }, secretsPlace(id), newSecrets(id));
    await insertServiceKey(this.#db, { id, generation, secrets, ...(await this.#keyring.wrap(secret, serviceKeyContext(id))) });
  }
}

/** The context in which a key of the service is wrapped. */
export function serviceKeyContext(keyId: string): KeyContext {
  return { purpose: 'service-key', userId: '', keyId };
}

function secretsPlace(id: string): AssociatedData {
  return { table: 'service_keys', column: 'secrets', userId: '', rowId: id };
}

function newSecrets(kid: string): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signingKey = { ...privateKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' };
  const random = () => randomBytes(KEY_BYTES).toString('base64');
  return JSON.stringify({ signingKey, cookieKey: random(), requestStateKey: random() });
}

function parsed(text: Buffer): ServiceSecret {
  const { signingKey, cookieKey, requestStateKey } = JSON.parse(text.toString()) as {
    signingKey: ServiceSecret['signingKey'];
    cookieKey: string;
    requestStateKey: string;
  };
  return { signingKey, cookieKey: Buffer.from(cookieKey, 'base64'), requestStateKey: Buffer.from(requestStateKey, 'base64') };
}
