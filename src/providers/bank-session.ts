import type { PlaidApi } from 'plaid';
import type { z } from 'zod';
import { AppError } from '../errors.ts';
import { asInputError, checkAnswer, type EntryRefusal, isEntryRefusal } from './bank-errors.ts';
import { deadline } from './deadline.ts';

type Send = (client: PlaidApi, options: CallOptions) => Promise<{ data: unknown }>;
/** The SDK's request types are closed lists of plain values, which the aggregator validates. */
type Method = (client: PlaidApi, body: never, options: CallOptions) => Promise<{ data: unknown }>;

/** What axios takes beside the body. */
export interface CallOptions {
  signal: AbortSignal;
}

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

/** The entry that a session works for. */
export interface BankEntryAccess {
  /** Its access token, as it is now. */
  token(): Promise<string>;
  /**
   * Told when the aggregator's refusal of this token says something of the entry.
   *
   * @returns false when the entry has another token by now, of which it says nothing
   */
  refused(accessToken: string, status: EntryRefusal): Promise<boolean>;
}

export interface BankSessionOptions {
  /** Sends one call with the client's credentials and converts the SDK's errors. */
  send(send: Send, deadline: AbortSignal): Promise<unknown>;
  /** Time an ordinary call may take, milliseconds. */
  timeoutMs: number;
  /** Used where a call asks for countries and has none. */
  countryCodes: readonly string[];
}

const METHODS: Record<BankCall, Method> = {
  'accounts/get': (client, body, options) => client.accountsGet(body, options),
  'accounts/balance/get': (client, body, options) => client.accountsBalanceGet(body, options),
  'transactions/get': (client, body, options) => client.transactionsGet(body, options),
  'transactions/sync': (client, body, options) => client.transactionsSync(body, options),
  'auth/get': (client, body, options) => client.authGet(body, options),
  'item/get': (client, body, options) => client.itemGet(body, options),
  'institutions/get_by_id': (client, body, options) => client.institutionsGetById(body, options),
};
const CREDENTIALS = ['client_id', 'secret', 'access_token'];
/** Asks the bank itself, which can take over 30 s (Plaid: /accounts/balance/get); the action's deadline ends it earlier. */
const LIVE_MS = 60_000;

/** Opens a session for an entry's actions; `signal` ends whatever it does. */
export function openBankSession(options: BankSessionOptions, entry: BankEntryAccess, signal: AbortSignal): BankSession {
  return {
    async call(name, body, answer) {
      const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
      if (method === undefined) throw new AppError('forbidden', 'This call of the bank aggregator is not open to actions.');
      if (CREDENTIALS.some((field) => Object.hasOwn(body, field))) {
        throw new AppError('invalid_request', 'A call of the bank aggregator takes no token or credentials.');
      }
      const limit = deadline(name === 'accounts/balance/get' ? LIVE_MS : options.timeoutMs);
      const ending = AbortSignal.any([signal, limit]);
      const send = (fields: object) => options.send((client, given) => method(client, { ...body, ...fields } as never, given), ending);
      // The one call that is about no entry.
      const data =
        name === 'institutions/get_by_id'
          ? await send(body.country_codes === undefined ? { country_codes: options.countryCodes } : {}).catch(refusedInput)
          : await asEntry(entry, (accessToken) => send({ access_token: accessToken }));
      return checkAnswer(answer, data);
    },
  };
}

/** What a refusal reveals of the entry is told before the error goes on. */
async function asEntry(entry: BankEntryAccess, work: (accessToken: string) => Promise<unknown>): Promise<unknown> {
  const accessToken = await entry.token();
  try {
    return await work(accessToken);
  } catch (error) {
    if (isEntryRefusal(error)) {
      const current = await entry.refused(accessToken, error.code);
      if (!current) throw new AppError('conflict', 'This bank was linked anew meanwhile. Try again.', { retryAfter: 1, cause: error });
    }
    return refusedInput(error);
  }
}

function refusedInput(error: unknown): never {
  throw asInputError(error);
}
