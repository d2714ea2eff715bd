import { AsyncLocalStorage } from 'node:async_hooks';
import pLimit from 'p-limit';
import { hashSecret } from '../../crypto/secrets.ts';
import type { Database, Queryable } from '../../database/database.ts';
import { lockUser } from '../../database/user-lock.ts';
import { AppError } from '../../errors.ts';
import type { ClientGrants } from '../../executor/client-grants.ts';
import type { ServiceSecrets } from '../../vault/keys/service-secrets.ts';
import {
  deleteEntriesOfGrant,
  type EntryKey,
  type EntryRow,
  insertClient,
  selectClientOfGrant,
  selectEntry,
  selectGrantOfEntry,
  selectResponse,
  selectUserOfEntry,
  storeResponse,
  upsertEntry,
  upsertPublishedClient,
} from './entries-repository.ts';

export interface EntriesDeps {
  db: Database;
  secrets: ServiceSecrets;
  clientGrants: Pick<ClientGrants, 'revoke'>;
}

/** How long a code can be exchanged. */
export const CODE_SECONDS = 60;
/** The model that the response to a refresh is encrypted as; it is kept in the row of its token. */
const RESPONSE = 'RefreshToken response';

/** The model that the answer to a resumed request is kept as, by the id of its interaction. */
const ANSWER = 'Answer';

/** Where an authorization request has led its user, once that had decided. */
export interface Answer {
  /** At the client, with the code or the error, and what its redirect URI has of its own. */
  location: string;
  /** undefined: an error. */
  code: string | undefined;
  /** Who permitted the client something; undefined: nobody did. */
  userId: string | undefined;
}

/** What belongs to one request. */
interface Scope {
  /** undefined: each statement stands alone. */
  tx: Queryable | undefined;
  /** Grants that the request ends, by their hash in hex. */
  ended: Set<string>;
}

/** Encrypted storage of the authorization server's entries, and the transaction of each request. */
export class Entries {
  readonly #deps: EntriesDeps;
  readonly #scope = new AsyncLocalStorage<Scope>();

  constructor(deps: EntriesDeps) {
    this.#deps = deps;
  }

  /** The transaction of the request, or the pool. */
  get queryable(): Queryable {
    return this.#scope.getStore()?.tx ?? this.#deps.db;
  }

  /** Runs a request whose statements stand alone. A grant that ends in it is revoked before the response is sent. */
  async request(work: () => Promise<void>): Promise<void> {
    const ended = new Set<string>();
    try {
      await this.#scope.run({ tx: undefined, ended }, work);
    } finally {
      await this.#endGrants(ended);
    }
  }

  /**
   * Runs a request that is one transaction, which a throw rolls back. A grant that ends in it is revoked afterwards, with
   * everything that the client has by it, before the response is sent.
   *
   * @param userId whose row it may lock; undefined: no user's
   * @param isSpared whether grants that would end go on
   */
  async transaction(userId: string | undefined, work: () => Promise<void>, isSpared = async () => false): Promise<void> {
    const ended = new Set<string>();
    try {
      await this.#deps.db.transaction(async (tx) => {
        // First, as by everything that deletes or changes the user's rows: another order would deadlock.
        if (userId !== undefined) await lockUser(tx, userId);
        await this.#scope.run({ tx: oneByOne(tx), ended }, work);
      }, userId);
    } finally {
      if (ended.size > 0 && !(await isSpared())) await this.#endGrants(ended);
    }
  }

  /** Whose code or token it is. @returns undefined: no user's */
  userOf(model: string, secret: string): Promise<string | undefined> {
    return selectUserOfEntry(this.#deps.db, keyOf(model, secret));
  }

  /** Stores the metadata of a client that registers itself. */
  async storeClient(clientId: string, metadata: object): Promise<void> {
    const key = keyOf('Client', clientId);
    await insertClient(this.queryable, { ...key, payload: await this.seal(key, metadata) });
  }

  /** Keeps what a client has published. */
  async keepPublished(clientId: string, metadata: object): Promise<void> {
    const key = keyOf('Client', clientId);
    await upsertPublishedClient(this.queryable, { ...key, payload: await this.seal(key, metadata) });
  }

  /** Stores the response to the refresh of a token that this transaction has used up. */
  async storeResponse(token: string, response: object): Promise<void> {
    const key = keyOf(RESPONSE, token);
    await storeResponse(this.queryable, key.idHash, await this.seal(key, response));
  }

  /** The response to the refresh of a token. @returns undefined: it was used too long ago */
  async responseOf(token: string): Promise<object | undefined> {
    const key = keyOf(RESPONSE, token);
    const payload = await selectResponse(this.#deps.db, key.idHash);
    return payload && this.open(key, { payload });
  }

  /** Keeps where a resumed request has led, while its code can be exchanged and its grant lasts. */
  async storeAnswer(uid: string, answer: Answer): Promise<void> {
    const { db } = this.#deps;
    const key = keyOf(ANSWER, uid);
    const payload = await this.seal(key, answer);
    const { code } = answer;
    const grantHash = code === undefined ? null : await selectGrantOfEntry(db, keyOf('AuthorizationCode', code));
    await upsertEntry(db, { ...key, grantHash, userId: answer.userId ?? null, audience: null, payload, lifeSeconds: CODE_SECONDS });
  }

  /**
   * Where a resumed request has led.
   *
   * @returns also whether the client has used the code or can't any more: sent once more, it would look stolen (RFC 6749,
   * 4.1.2); undefined: it has led nowhere, or too long ago
   */
  async answerOf(uid: string): Promise<(Answer & { isUsed: boolean }) | undefined> {
    const { db } = this.#deps;
    const key = keyOf(ANSWER, uid);
    const row = await selectEntry(db, key);
    if (row === undefined) return undefined;
    const answer = (await this.open(key, row)) as unknown as Answer;
    const { code } = answer;
    const isUsed = code !== undefined && (await selectEntry(db, keyOf('AuthorizationCode', code)))?.isConsumed !== false;
    return { ...answer, isUsed };
  }

  /** Runs `work` in a transaction that has begun. */
  within<Result>(tx: Queryable, work: () => Promise<Result>): Promise<Result> {
    return this.#scope.run({ tx: oneByOne(tx), ended: new Set() }, work);
  }

  /** The grant ends with the request. */
  end(grantHash: Buffer): void {
    this.#scope.getStore()?.ended.add(grantHash.toString('hex'));
  }

  seal(key: EntryKey, payload: object): Promise<Buffer> {
    return this.#deps.secrets.seal(associatedDataOf(key), JSON.stringify(payload));
  }

  async open(key: EntryKey, { payload }: Pick<EntryRow, 'payload'>): Promise<Record<string, unknown>> {
    return JSON.parse((await this.#deps.secrets.open(associatedDataOf(key), payload)).toString()) as Record<string, unknown>;
  }

  async #endGrants(hashes: ReadonlySet<string>): Promise<void> {
    const { db, clientGrants } = this.#deps;
    for (const hash of hashes) {
      const grantHash = Buffer.from(hash, 'hex');
      const client = await selectClientOfGrant(db, grantHash);
      if (client !== undefined) await clientGrants.revoke(client.userId, client.id, 'oauth').catch(ignoreNotFound);
      await deleteEntriesOfGrant(db, grantHash);
    }
  }
}

/** The key of an entry. @param id as the library has it: the secret itself for codes and tokens */
export function keyOf(model: string, id: string): EntryKey {
  return { model, idHash: hashSecret(id) };
}

function associatedDataOf({ model, idHash }: EntryKey) {
  return { table: 'oauth_entries', column: model, userId: '', rowId: idHash.toString('hex') };
}

/** The library sends several statements at once, and a connection takes one at a time. */
function oneByOne(tx: Queryable): Queryable {
  const inTurn = pLimit(1);
  return { query: (statement, values) => inTurn(() => tx.query(statement, values)) };
}

function ignoreNotFound(error: unknown): void {
  if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
}
