import type { Queryable } from '../database/database.ts';
import { withoutHidden } from '../http/pages/visible-text.ts';
import { shortened } from '../validation/cut-text.ts';
import { selectAccounts } from './accounts-repository.ts';

const MOST_SHOWN = 60;

/** How a new connection is called. @param hint who the user is there, in the server's words */
export function accountLabel(source: string, hint: string | undefined): string {
  const shown = shortened(
    withoutHidden(hint ?? '')
      .replace(/\s+/g, ' ')
      .trim(),
    MOST_SHOWN,
  );
  return shown === '' ? source : `${source} (${shown})`;
}

/** A name that no other connection of the user has: `Tickets`, `Tickets 2`. @param own the account that may keep it */
export async function freeLabel(tx: Queryable, userId: string, label: string, own?: string): Promise<string> {
  const taken = new Set((await selectAccounts(tx, userId)).flatMap((account) => (account.id === own ? [] : account.label)));
  if (!taken.has(label)) return label;
  for (let number = 2; ; number += 1) if (!taken.has(`${label} ${number}`)) return `${label} ${number}`;
}
