import { z } from 'zod';
import type { ItemRow, ListedItem } from './items-repository.ts';

/** An item as clients receive it. */
export const bankAccount = z
  .object({
    id: z.uuid(),
    bank_name: z.string(),
    mask: z.array(z.object({ name: z.string(), mask: z.string() })),
    status: z.enum(['active', 'relink_required', 'item_gone']),
    warning: z
      .enum(['pending_disconnect', 'pending_expiration'])
      .optional()
      .meta({ description: 'Access ends soon unless the user completes update mode.' }),
    expires_at: z.iso.datetime().optional().meta({ description: 'When access ends, if that is known.' }),
    new_accounts: z.literal(true).optional().meta({ description: 'The bank has further accounts that the user can share in update mode.' }),
  })
  .meta({ id: 'BankAccount' });

/** An account's `mask` is empty if the bank gives none. */
export function toBankAccount({
  id,
  bankName,
  accounts,
  status,
  warning,
  expiresAt,
  newAccounts,
}: ItemRow | ListedItem): z.input<typeof bankAccount> {
  return {
    id,
    bank_name: bankName,
    mask: accounts.map(({ name, mask }) => ({ name, mask: mask ?? '' })),
    status: status === 'reauth_required' ? 'relink_required' : status,
    ...(warning !== null && { warning, ...(expiresAt !== null && { expires_at: new Date(expiresAt).toISOString() }) }),
    ...(newAccounts && { new_accounts: true }),
  };
}
