import type { DataKey } from '../../crypto/envelope.ts';
import { AppError } from '../../errors.ts';
import type { GrantStatus } from '../grants/grants-repository.ts';
import { openTokens, type Tokens } from '../grants/token-encryption.ts';
import type { UserKeys } from '../keys/user-keys.ts';
import type { GrantInUse, RefreshRow } from './refresh-repository.ts';

/** A grant with its decrypted tokens, for the duration of one call. */
export interface OpenGrant<Row extends GrantInUse = RefreshRow> {
  row: Row;
  key: DataKey;
  tokens: Tokens;
}

const UNUSABLE: Record<Exclude<GrantStatus, 'active'>, string> = {
  reauth_required: 'Reconnect this account: its permission has ended.',
  relink_required: 'This account asks for a new login.',
  item_gone: 'The bank no longer knows this connection. Link it again.',
};

/**
 * The grant, if it may be used.
 *
 * @throws AppError `not_found`, `reauth_required`, `relink_required`, `item_gone`
 */
export function usable(row: RefreshRow | undefined): RefreshRow {
  if (row === undefined) throw new AppError('not_found', 'There is no such account.');
  if (row.status !== 'active') throw new AppError(row.status, UNUSABLE[row.status]);
  return row;
}

/** @throws AppError `internal` when it was altered, or its key is gone; `unavailable` while the key service is unavailable */
export async function openGrant<Row extends GrantInUse>(userKeys: UserKeys, row: Row): Promise<OpenGrant<Row>> {
  const key = await userKeys.unwrap(row.userId, { id: row.keyId, wrapped: row.wrapped });
  return { row, key, tokens: openTokens(key, row) };
}

/** Whether the tokens are the same and only their user's key was replaced. */
export function isResealed(before: OpenGrant, now: OpenGrant): boolean {
  const { accessToken, refreshToken } = before.tokens;
  return now.key.id !== before.key.id && now.tokens.accessToken === accessToken && now.tokens.refreshToken === refreshToken;
}
