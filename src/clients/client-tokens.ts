import { randomUUID } from 'node:crypto';
import type { Database, Queryable } from '../database/database.ts';
import { AppError } from '../errors.ts';
import type { Emit } from '../events/emit.ts';
import type { ApprovalExpiry } from '../executor/approval-expiry.ts';
import { AuditEntryBuilder } from '../executor/audit-log.ts';
import { insertAuditRows } from '../executor/audit-repository.ts';
import { covers, notAClient } from '../executor/client-grant.ts';
import {
  type ClientGrantRow,
  countActiveClients,
  insertClientGrant,
  revokeClientGrant,
  selectClientGrants,
  selectGrantOfToken,
} from '../executor/client-grants-repository.ts';
import { deleteReadOnlyFor } from '../executor/read-only-repository.ts';
import type { Principal } from '../http/endpoint.ts';
import type { Catalog } from '../integrations/catalog.ts';
import { lockExistingUser, lockUser } from '../vault/grants-repository.ts';
import { hashOfToken, isWellFormed, newClientToken } from './client-token.ts';

const SURFACE = 'http';
/** What is on record about a token is about every action. */
const ALL_ACTIONS = '*';
const MAX_ACTIVE = 50;
const LAST_CHARACTERS = 4;

export interface ClientTokensDeps {
  db: Database;
  emit: Emit;
  approvalExpiry: ApprovalExpiry;
  catalog(): Catalog;
  /** Ids of the user's accounts. */
  accountIds(userId: string): Promise<readonly string[]>;
  /** @throws AppError `forbidden` for users whom the operator does not admit any more */
  assertAllowed(email: string | null): void;
}

export interface TokenRequest {
  name: string;
  actions: readonly string[];
  access: 'read' | 'write';
  /** undefined: all accounts, also later ones. */
  accounts?: readonly string[] | undefined;
  /** Until it expires. */
  days: number;
}

/** Personal access tokens: credentials of a user's scripts and assistants, with which they can only list and call actions. */
export class ClientTokens {
  readonly #deps: ClientTokensDeps;

  constructor(deps: ClientTokensDeps) {
    this.#deps = deps;
  }

  /**
   * The user and the client that a token identifies.
   *
   * @throws AppError `invalid_token`, `forbidden`
   */
  async authenticate(token: string): Promise<Principal> {
    const found = isWellFormed(token) ? await selectGrantOfToken(this.#deps.db, hashOfToken(token)) : undefined;
    if (found === undefined) throw notAClient();
    const { id: clientId, userId, name, expiresAt, email } = found;
    this.#deps.assertAllowed(email);
    return { userId, clientId, label: name, expiresAt: Math.floor(expiresAt.getTime() / 1000) };
  }

  /**
   * Makes a token. It is returned once; only its hash is stored.
   *
   * @throws AppError `invalid_request` for actions that no agent has and accounts that aren't the user's, `conflict` when
   * the user has too many tokens
   */
  async create(userId: string, request: TokenRequest): Promise<{ token: string; grant: ClientGrantRow }> {
    const { name, actions, access, accounts, days } = request;
    this.#checkActions(actions);
    await this.#checkAccounts(userId, accounts ?? []);
    const token = newClientToken();
    const about = { id: randomUUID(), userId, name, actions, access, accountIds: accounts ?? null, days };
    const secret = { tokenHash: hashOfToken(token), lastFour: token.slice(-LAST_CHARACTERS) };
    const grant = await this.#deps.db.transaction(async (tx) => {
      await lockExistingUser(tx, userId);
      if ((await countActiveClients(tx, userId)) >= MAX_ACTIVE) {
        throw new AppError('conflict', `There are ${MAX_ACTIVE} tokens. Revoke one of them first.`);
      }
      const inserted = await insertClientGrant(tx, { ...about, ...secret });
      await record(tx, userId, inserted.id, 'token_created');
      await this.#deps.emit(tx, userId, 'token.created', { id: inserted.id, name });
      return inserted;
    }, userId);
    return { token, grant };
  }

  /** A user's tokens, newest first; those that have ended stay for 30 days. */
  list(userId: string): Promise<ClientGrantRow[]> {
    return selectClientGrants(this.#deps.db, userId);
  }

  /**
   * Ends a token and the approvals that it requested. It counts for the next request on every replica, and for a change
   * that has not started.
   *
   * @throws AppError `not_found`
   */
  async revoke(userId: string, id: string): Promise<void> {
    await this.#deps.db.transaction(async (tx) => {
      // Changes start under the same lock, so that none starts afterwards.
      await lockUser(tx, userId);
      const revoked = await revokeClientGrant(tx, userId, id);
      if (revoked === undefined) throw new AppError('not_found', 'There is no such token.');
      if (!revoked.isFirst) return;
      await record(tx, userId, id, 'token_revoked');
      await deleteReadOnlyFor(tx, userId, id);
      await this.#deps.approvalExpiry.revoked(tx, userId, id);
      await this.#deps.emit(tx, userId, 'token.revoked', { id });
    }, userId);
  }

  #checkActions(patterns: readonly string[]): void {
    const names = [...this.#deps.catalog().actions.keys()];
    const unknown = patterns.find((pattern) => !names.some((name) => covers(pattern, name)));
    if (unknown !== undefined) throw new AppError('invalid_request', `actions: no agent has ${unknown}.`);
  }

  async #checkAccounts(userId: string, accounts: readonly string[]): Promise<void> {
    if (accounts.length === 0) return;
    const own = await this.#deps.accountIds(userId);
    if (!accounts.every((id) => own.includes(id))) throw new AppError('invalid_request', 'accounts: no such account is connected.');
  }
}

async function record(tx: Queryable, userId: string, clientId: string, decision: 'token_created' | 'token_revoked'): Promise<void> {
  await insertAuditRows(tx, [new AuditEntryBuilder(clientId, userId, SURFACE, ALL_ACTIONS, clientId).row('ok', decision)]);
}
