import { type AssociatedData, type DataKey, open, seal } from '../../crypto/envelope.ts';
import type { GrantRow } from './grants-repository.ts';

/** The tokens of one account. Banks issue neither refresh token nor expiry. */
export interface Tokens {
  accessToken: string;
  refreshToken?: string;
}

/** The user and grant that tokens belong to. */
type Owner = Pick<GrantRow, 'id' | 'userId' | 'provider'>;

export function sealTokens(key: DataKey, owner: Owner, tokens: Tokens): Buffer {
  return seal(key, associatedData(owner), JSON.stringify(tokens));
}

/** @throws AppError `internal` when they were altered, moved, or encrypted with another key */
export function openTokens(key: DataKey, grant: Owner & Pick<GrantRow, 'tokens'>): Tokens {
  return JSON.parse(open(key, associatedData(grant), grant.tokens).toString('utf8')) as Tokens;
}

/** Contains the provider, so that a token moved to a row of another provider cannot be decrypted and sent there. */
function associatedData({ provider, userId, id }: Owner): AssociatedData {
  return { table: 'grants', column: `tokens/${provider}`, userId, rowId: id };
}
