import { z } from 'zod';
import type { ClientGrantRow } from '../executor/call/client-grants-repository.ts';

const time = z.iso.datetime({ offset: true });

/** What responses say of a grant, whatever its kind. */
export const grantFields = {
  id: z.uuid(),
  name: z.string(),
  actions: z.array(z.string()),
  access: z.enum(['read', 'write']),
  accounts: z.array(z.uuid()).nullable().describe('null: all accounts, also later ones.'),
  except_accounts: z.array(z.uuid()).describe('Where `accounts` is null: those that it may not use.'),
  created_at: time,
  expires_at: time,
  last_used_at: time.nullable().describe('To the minute.'),
  revoked_at: time.nullable(),
};

/** A grant in the fields of {@link grantFields}. */
export function grantResponse(row: ClientGrantRow) {
  return {
    id: row.id,
    name: row.name,
    actions: [...row.actions],
    access: row.access,
    accounts: row.accountIds === null ? null : [...row.accountIds],
    except_accounts: [...row.exceptAccountIds],
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
    revoked_at: row.revokedAt?.toISOString() ?? null,
  };
}
