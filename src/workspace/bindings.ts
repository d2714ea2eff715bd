import type { Database, Queryable } from '../database/database.ts';
import { deleteExpiredBindings, isBound, upsertBinding } from './bindings-repository.ts';
import { hashSecret, randomSecret } from './secrets.ts';

/** Name and life of the cookie that holds a binding's secret. */
export const BINDING_COOKIE = 'steward_binding';
export const BINDING_SECONDS = 24 * 3600;

/**
 * Which browsers are whose (docs/decisions/0005). Only the authenticated POST
 * gives a browser its secret, so one that was merely lured into someone
 * else's flow doesn't hold it.
 */
export class Bindings {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Ties a browser to the user.
   *
   * @param held the secret its cookie holds; kept when it is this user's already, so that flows in other tabs stay bound
   * @returns the secret its cookie must hold
   */
  async bind(held: string | undefined, userId: string): Promise<string> {
    const secret = held !== undefined && (await this.holds(held, userId)) ? held : randomSecret();
    // Its foreign key locks the user.
    await this.#db.transaction((tx) => upsertBinding(tx, hashSecret(secret), userId, BINDING_SECONDS), userId);
    return secret;
  }

  /** @param db the transaction under way, if any: waiting for a second connection inside one can lock up */
  async holds(held: string | undefined, userId: string, db: Queryable = this.#db): Promise<boolean> {
    return held !== undefined && isBound(db, hashSecret(held), userId);
  }

  async sweep(): Promise<void> {
    await deleteExpiredBindings(this.#db);
  }
}
