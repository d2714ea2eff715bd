import type { z } from 'zod';

/** Read calls of the aggregator that actions may make, by their path. A list of what is forbidden would admit calls that leak or destroy tokens. */
export const BANK_CALLS = [
  'accounts/get',
  'accounts/balance/get',
  'transactions/get',
  'transactions/sync',
  'auth/get',
  'item/get',
  'institutions/get_by_id',
] as const;

export type BankCall = (typeof BANK_CALLS)[number];

/** Calls on behalf of one bank entry; its access token never leaves the session. */
export interface BankSession {
  /**
   * @param body the call's own fields, without token or credentials
   * @param answer what of the answer is used; anything else in it is dropped
   * @throws BankError, AppError
   */
  call<S extends z.ZodType>(call: BankCall, body: Record<string, unknown>, answer: S): Promise<z.output<S>>;
}
