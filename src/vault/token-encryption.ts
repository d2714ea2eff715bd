import { type AssociatedData, type DataKey, open, seal } from '../crypto/envelope.ts';
import type { GrantRow } from './grants-repository.ts';

/** What a provider issued for one account. Banks have no refresh token and no expiry. */
export interface Tokens {
  accessToken: string;
  refreshToken?: string;
}

/** Whose tokens, and of which grant. */
type Owner = Pick<GrantRow, 'id' | 'userId' | 'provider'>;

export function sealTokens(key: DataKey, owner: Owner, tokens: Tokens): Buffer {
  return seal(key, associatedData(owner), JSON.stringify(tokens));
}

/** @throws AppError `internal` when they were altered, moved, or sealed under another key */
export function openTokens(key: DataKey, grant: Owner & Pick<GrantRow, 'tokens'>): Tokens {
  return JSON.parse(open(key, associatedData(grant), grant.tokens).toString('utf8')) as Tokens;
}

/** The provider is part of the place: a token moved to the other one's row must not open, and be sent there. */
function associatedData({ provider, userId, id }: Owner): AssociatedData {
  return { table: 'grants', column: `tokens/${provider}`, userId, rowId: id };
}
