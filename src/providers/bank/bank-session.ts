import type { PlaidApi } from 'plaid';
import type { Clock } from '../../clock/clock.ts';
import type { UserConcurrency } from '../../concurrency/user-concurrency.ts';
import { AppError } from '../../errors.ts';
import type { GrantAccess, ProviderSession } from '../shared/provider.ts';
import { deadline } from '../transport/deadline.ts';
import { LARGE_BYTES, type ResponseFormat, type ResponseReader, readResponse } from '../transport/responses.ts';
import { asBankResponseError, asInputError, isConsentMissing, isItemRejection } from './bank-errors.ts';

/** One call of the SDK. */
export type Send = (client: PlaidApi, options: CallOptions) => Promise<{ data: unknown }>;
/** Options for axios. */
export interface CallOptions {
  signal: AbortSignal;
  /** Limit of the response, bytes. */
  maxContentLength: number;
}

/** Read calls of the aggregator that actions may make, by the SDK's methods. Only these: others could disclose or end tokens. */
const METHODS = {
  'accounts/get': 'accountsGet',
  'accounts/balance/get': 'accountsBalanceGet',
  'transactions/get': 'transactionsGet',
  'transactions/sync': 'transactionsSync',
  'auth/get': 'authGet',
  'item/get': 'itemGet',
  'institutions/get_by_id': 'institutionsGetById',
} as const satisfies Record<string, keyof PlaidApi>;
export type BankCall = keyof typeof METHODS;
export const BANK_CALLS = Object.keys(METHODS) as BankCall[];

/** Calls on behalf of one bank item; its access token never leaves the session. */
export interface BankSession extends ProviderSession {
  /**
   * @param body the call's own fields, without token or credentials
   * @param response the part of the response that is used: a schema for small responses, a reader for large ones
   * @param args for the reader
   * @throws BankError, AppError
   */
  call<Result>(call: BankCall, body: Record<string, unknown>, response: ResponseFormat<undefined, Result>): Promise<Result>;
  call<Args, Result>(call: BankCall, body: Record<string, unknown>, response: ResponseReader<Args, Result>, args: Args): Promise<Result>;
}

/** The item that a session works for. */
export type BankItemAccess = Pick<GrantAccess, 'userId' | 'current' | 'version' | 'rejected'>;

export interface BankSessionOptions {
  /** Sends one call with the client's credentials and converts the SDK's errors. @returns the bytes of the response */
  send(send: Send, options: CallOptions): Promise<Uint8Array<ArrayBuffer>>;
  /** Limits concurrent calls with large responses. */
  concurrency: UserConcurrency;
  /** Time limit of an ordinary call, milliseconds. */
  timeoutMs: number;
  clock: Clock;
  /** For calls that require countries, if none are given. */
  countryCodes: readonly string[];
}

const MAX_RESPONSE_BYTES = 5 * 1024 * 1024;
const CREDENTIALS = ['client_id', 'secret', 'access_token'];
/** Requests the balances from the bank, which can take over 30 s (Plaid: /accounts/balance/get). The action's deadline may be shorter. */
const LIVE_MS = 60_000;

/** Opens a session for an item's actions. @param signal ends all of its requests */
export function openBankSession(options: BankSessionOptions, item: BankItemAccess, signal: AbortSignal): BankSession {
  const { userId } = item;
  async function call<Args, Result>(
    name: BankCall,
    body: Record<string, unknown>,
    response: ResponseFormat<Args, Result>,
    args?: Args,
  ): Promise<Result> {
    if (!Object.hasOwn(METHODS, name)) throw new AppError('forbidden', 'This call of the bank aggregator is not open to actions.');
    if (CREDENTIALS.some((field) => Object.hasOwn(body, field))) {
      throw new AppError('invalid_request', 'A call of the bank aggregator takes no token or credentials.');
    }
    const read = async () => {
      const bytes = await fetchResponse(options, item, signal, { name, body, isLarge: 'run' in response });
      try {
        return await readResponse(bytes, response, args as Args, { userId, signal }, 'kept');
      } catch (error) {
        return asBankResponseError(error);
      }
    };
    return 'run' in response ? options.concurrency.run(userId, read) : read();
  }
  return { call };
}

async function fetchResponse(
  options: BankSessionOptions,
  item: BankItemAccess,
  signal: AbortSignal,
  { name, body, isLarge }: { name: BankCall; body: Record<string, unknown>; isLarge: boolean },
) {
  signal.throwIfAborted();
  const limit = deadline(options.clock, name === 'accounts/balance/get' ? LIVE_MS : options.timeoutMs);
  const limits = { signal: AbortSignal.any([signal, limit]), maxContentLength: isLarge ? MAX_RESPONSE_BYTES : LARGE_BYTES };
  // The SDK's request types are enums of plain strings, which the aggregator validates.
  const send = (fields: object) => options.send((client, given) => client[METHODS[name]]({ ...body, ...fields } as never, given), limits);
  // The only call that concerns no item.
  if (name !== 'institutions/get_by_id') return asItem(item, (accessToken) => send({ access_token: accessToken }));
  return send(body.country_codes === undefined ? { country_codes: options.countryCodes } : {}).catch(rejectedInput);
}

/** Records what a rejection implies for the item. */
async function asItem<Result>(item: BankItemAccess, work: (accessToken: string) => Promise<Result>): Promise<Result> {
  // Before the token: what is linked in between is another version.
  const version = await item.version();
  const accessToken = await item.current();
  try {
    return await work(accessToken);
  } catch (error) {
    // Missing consent to one product does not affect the others.
    if (isItemRejection(error) && !isConsentMissing(error)) {
      const current = await item.rejected(version, error.code);
      if (!current)
        throw new AppError('conflict', 'This bank was linked anew or checked meanwhile. Try again.', { retryAfter: 1, cause: error });
    }
    return rejectedInput(error);
  }
}

function rejectedInput(error: unknown): never {
  throw asInputError(error);
}
