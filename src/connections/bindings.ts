import { hashSecret, randomSecret } from '../crypto/secrets.ts';
import type { Database, Queryable } from '../database/database.ts';
import { isBound, upsertBinding } from './bindings-repository.ts';

/** Lifetime of a binding, and of the cookie with its secret. */
export const BINDING_SECONDS = 24 * 3600;

/**
 * Binds a browser to the user (docs/decisions/0007-identity-and-browsers.md). Only the authenticated POST gives a browser
 * its secret, so a browser that was lured into another user's flow doesn't have it.
 *
 * @param secret that of the browser's cookie; kept if it is already this user's, so that flows in other tabs stay bound
 * @returns the secret for the cookie
 */
export async function bindBrowser(db: Database, secret: string | undefined, userId: string): Promise<string> {
  const bound = secret !== undefined && (await isBoundTo(db, secret, userId)) ? secret : randomSecret();
  // Its foreign key locks the user.
  await db.transaction((tx) => upsertBinding(tx, hashSecret(bound), userId, BINDING_SECONDS), userId);
  return bound;
}

/** @param db inside a transaction, the transaction: waiting for a second connection could cause a deadlock */
export async function isBoundTo(db: Queryable, secret: string | undefined, userId: string): Promise<boolean> {
  return secret !== undefined && isBound(db, hashSecret(secret), userId);
}
