import { randomUUID } from 'node:crypto';
import type { Database, Queryable } from '../database/database.ts';
import { lockExistingUser, lockUser } from '../database/user-lock.ts';
import { AppError } from '../errors.ts';
import type { RecordEvent } from '../events/events.ts';
import type { Catalog } from '../integrations/catalog.ts';
import type { ApprovalExpiry } from './approvals/approval-expiry.ts';
import { AuditEntryBuilder } from './audit/audit-log.ts';
import { type AuditRow, insertAuditRows } from './audit/audit-repository.ts';
import { type ClientKind, covers } from './call/client-grant.ts';
import {
  type ClientGrantRow,
  countActiveClients,
  insertClientGrant,
  type NewClientGrant,
  renewClientGrant,
  revokeClientGrant,
  selectClientGrantOfHash,
  selectClientGrants,
  selectLongestUnusedApp,
} from './call/client-grants-repository.ts';
import { contextOf } from './call/context-name.ts';
import { deleteReadOnlyFor } from './call/read-only-repository.ts';
import { deleteAllowancesOf } from './policy/allowances-repository.ts';
import { deleteContext, deleteReads, inheritContext } from './taint/taint-repository.ts';

const SURFACE = 'http';
/** What is on record about a client is about every action. */
const ALL_ACTIONS = '*';
const MAX_ACTIVE = 50;

/** What is recorded, and which event is sent, when a client of a kind is permitted or its permission ends. */
const TOKEN = {
  created: { decision: 'token_created', event: 'token.created' },
  revoked: { decision: 'token_revoked', event: 'token.revoked' },
} as const;
const APP = {
  created: { decision: 'client_connected', event: 'client.connected' },
  revoked: { decision: 'client_revoked', event: 'client.revoked' },
} as const;
const CHANGES = { personal_access_token: TOKEN, oauth: APP, external: APP } as const satisfies Record<ClientKind, object>;

export interface ClientGrantsDeps {
  db: Database;
  emit: RecordEvent;
  approvalExpiry: Pick<ApprovalExpiry, 'endForClient'>;
  catalog(): Catalog;
  /** Ids of the user's accounts. */
  accountIds(userId: string): Promise<readonly string[]>;
}

/** What a user permits clients: personal access tokens, and clients that sign in with OAuth, here or at the operator's own server. */
export class ClientGrants {
  readonly #deps: ClientGrantsDeps;

  constructor(deps: ClientGrantsDeps) {
    this.#deps = deps;
  }

  /**
   * Permits a client something.
   *
   * @param along runs in the same transaction, after the user was locked
   * @throws AppError `invalid_request` for actions that do not exist and accounts that aren't the user's, `conflict` when
   * the user has too many clients, `invalid_token` when the user was deleted meanwhile
   */
  async create(given: Omit<NewClientGrant, 'id'>, along: (tx: Queryable) => Promise<void> = async () => {}): Promise<ClientGrantRow> {
    const { userId } = given;
    this.#checkActions(given.actions);
    await this.#checkAccounts(userId, given.accountIds ?? []);
    return this.#deps.db.transaction(async (tx) => {
      await lockExistingUser(tx, userId);
      await along(tx);
      const grant = await insertClientGrant(tx, { ...given, id: randomUUID() });
      // An app that signs in again knows what it has read.
      if (grant.oauthClientId !== null) await inheritContext(tx, grant);
      await this.#makeRoomFor(tx, grant);
      await this.#begin(tx, grant);
      return grant;
    }, userId);
  }

  /** The grant whose token, or client, has this hash, also one that has ended. */
  ofHash(tokenHash: Buffer): Promise<ClientGrantRow | undefined> {
    return selectClientGrantOfHash(this.#deps.db, tokenHash);
  }

  /** Begins an ended grant again, if its user has signed in since. @returns undefined: not so */
  async renew(grant: ClientGrantRow, signedInAt: Date, days: number): Promise<ClientGrantRow | undefined> {
    const { userId } = grant;
    return this.#deps.db.transaction(async (tx) => {
      await lockExistingUser(tx, userId);
      const renewed = await renewClientGrant(tx, grant, signedInAt, days);
      if (renewed === undefined) return undefined;
      // What was allowed before has ended with it.
      await deleteAllowancesOf(tx, userId, renewed.id);
      await this.#makeRoomFor(tx, renewed);
      await this.#begin(tx, renewed);
      return renewed;
    }, userId);
  }

  /** A user's grants, newest first; those that have ended stay for 30 days. */
  list(userId: string): Promise<ClientGrantRow[]> {
    return selectClientGrants(this.#deps.db, userId);
  }

  /**
   * Ends a grant with everything that the client has by it: approvals that it requested, results that it could fetch, what
   * it was allowed in advance, and what is remembered of what it has read. It counts for the next request on every replica, and for a change that has not
   * started.
   *
   * @param only a grant of this kind
   * @throws AppError `not_found`
   */
  async revoke(userId: string, id: string, only?: ClientKind): Promise<void> {
    await this.#deps.db.transaction(async (tx) => {
      // Changes start under the same lock, so that none starts afterwards.
      await lockUser(tx, userId);
      const revoked = await revokeClientGrant(tx, userId, id, only);
      if (revoked === undefined) throw new AppError('not_found', 'There is no such token or connected app.');
      if (revoked.isFirst) await this.#end(tx, userId, id, revoked.kind);
    }, userId);
  }

  /**
   * Some apps sign in again each time, and leave what they had before: for an app, the one that was unused for longest
   * ends.
   *
   * @throws AppError `conflict` for a token, and when all others are tokens: their user has made them one by one
   */
  async #makeRoomFor(tx: Queryable, { id, userId, kind }: ClientGrantRow): Promise<void> {
    if ((await countActiveClients(tx, userId)) <= MAX_ACTIVE) return;
    const unused = kind === 'personal_access_token' ? undefined : await selectLongestUnusedApp(tx, userId, id);
    if (unused === undefined)
      throw new AppError('conflict', `There are ${MAX_ACTIVE} tokens and connected apps. Revoke one of them first.`);
    await revokeClientGrant(tx, userId, unused.id);
    await this.#end(tx, userId, unused.id, unused.kind);
  }

  async #begin(tx: Queryable, { id, userId, kind, name }: ClientGrantRow): Promise<void> {
    const { decision, event } = CHANGES[kind].created;
    await this.#record(tx, { id, userId }, decision);
    await this.#deps.emit(tx, userId, event, { id, name });
  }

  /** What ends with a grant. */
  async #end(tx: Queryable, userId: string, id: string, kind: ClientKind): Promise<void> {
    const { decision, event } = CHANGES[kind].revoked;
    await this.#record(tx, { id, userId }, decision);
    await deleteReadOnlyFor(tx, userId, id);
    await deleteAllowancesOf(tx, userId, id);
    const context = contextOf({ client: { id } });
    await deleteReads(tx, userId, context);
    // An app may sign in again.
    if (kind === 'personal_access_token') await deleteContext(tx, userId, context);
    await this.#deps.approvalExpiry.endForClient(tx, userId, id);
    await this.#deps.emit(tx, userId, event, { id }, id);
  }

  #checkActions(patterns: readonly string[]): void {
    const names = [...this.#deps.catalog().actions.keys()];
    const unknown = patterns.find((pattern) => !names.some((name) => covers(pattern, name)));
    if (unknown !== undefined) throw new AppError('invalid_request', `actions: no action is called ${unknown}.`);
  }

  async #checkAccounts(userId: string, accounts: readonly string[]): Promise<void> {
    if (accounts.length === 0) return;
    const own = await this.#deps.accountIds(userId);
    if (!accounts.every((id) => own.includes(id))) throw new AppError('invalid_request', 'accounts: no such account is connected.');
  }

  async #record(tx: Queryable, { id, userId }: Pick<ClientGrantRow, 'id' | 'userId'>, decision: AuditRow['decision']): Promise<void> {
    const entry = new AuditEntryBuilder(this.#deps.db.clock, id, userId, SURFACE, ALL_ACTIONS, id);
    await insertAuditRows(tx, [entry.row('ok', decision)]);
  }
}
