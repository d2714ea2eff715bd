import { z } from 'zod';
import type { Grants } from '../workspace/workspace-grants.ts';
import type { Account } from '../workspace-accounts.ts';

const DEFAULT_ACCOUNT = 'demo@example.com';

/** One line of text; an empty field of a form is '', and as if it weren't there. */
export function line(most: number) {
  return z
    .string()
    .max(most)
    .regex(/^[^\r\n]*$/, 'must be one line');
}

/** A number, also of a form. */
export function number(least: number, most: number) {
  return z
    .union([
      z.number(),
      z
        .string()
        .regex(/^-?\d+(?:\.\d+)?$/, 'must be a number')
        .transform(Number),
    ])
    .pipe(z.number().min(least).max(most));
}

/** How often something happens; default: once. */
export function count(most: number) {
  return z.coerce.number().int().min(1).max(most).default(1);
}

/** The account to which something happens. @param email undefined: the first one that is connected */
export function accountOf(grants: Grants, email: string | undefined): Account {
  if (email !== undefined) return grants.accountOf(email);
  return grants.accounts.find(({ sub }) => grants.isConnected(sub)) ?? grants.accountOf(DEFAULT_ACCOUNT);
}
