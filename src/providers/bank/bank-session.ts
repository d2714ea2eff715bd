import type { PlaidApi } from 'plaid';
import { AppError } from '../../errors.ts';
import type { UserConcurrency } from '../../threads/user-concurrency.ts';
import { deadline } from '../deadline.ts';
import type { GrantAccess, ProviderSession } from '../provider.ts';
import { type AnswerReader, LARGE_BYTES, type Understanding, understand } from '../responses.ts';
import { asBankAnswer, asInputError, isConsentMissing, isItemRejection } from './bank-errors.ts';

/** Makes a call of the SDK's. */
export type Send = (client: PlaidApi, options: CallOptions) => Promise<{ data: unknown }>;
/** The SDK's request types are closed lists of plain values, which the aggregator validates. */
type Method = (client: PlaidApi, body: never, options: CallOptions) => Promise<{ data: unknown }>;

/** What axios takes beside the body. */
export interface CallOptions {
  signal: AbortSignal;
  /** Bytes of an answer. */
  maxContentLength: number;
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

/** Calls on behalf of one bank item; its access token never leaves the session. */
export interface BankSession extends ProviderSession {
  /**
   * @param body the call's own fields, without token or credentials
   * @param answer what of the answer is used; anything else in it is dropped. A schema where it is small, a reader where
   * it may be large
   * @param args what the reader is given beside the answer
   * @throws BankError, AppError
   */
  call<Result>(call: BankCall, body: Record<string, unknown>, answer: Understanding<undefined, Result>): Promise<Result>;
  call<Args, Result>(call: BankCall, body: Record<string, unknown>, answer: AnswerReader<Args, Result>, args: Args): Promise<Result>;
}

/** The item that a session works for. */
export type BankItemAccess = Pick<GrantAccess, 'userId' | 'current' | 'rejected'>;

export interface BankSessionOptions {
  /** Sends one call with the client's credentials and converts the SDK's errors. @returns the answer's own bytes */
  send(send: Send, options: CallOptions): Promise<Uint8Array<ArrayBuffer>>;
  /** Where calls wait whose answers are large. */
  lanes: UserConcurrency;
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
const MAX_ANSWER_BYTES = 5 * 1024 * 1024;
const CREDENTIALS = ['client_id', 'secret', 'access_token'];
/** Asks the bank itself, which can take over 30 s (Plaid: /accounts/balance/get); the action's deadline ends it earlier. */
const LIVE_MS = 60_000;

/** Opens a session for an item's actions; `signal` ends whatever it does. */
export function openBankSession(options: BankSessionOptions, item: BankItemAccess, signal: AbortSignal): BankSession {
  const { userId } = item;
  async function call<Args, Result>(
    name: BankCall,
    body: Record<string, unknown>,
    answer: Understanding<Args, Result>,
    args?: Args,
  ): Promise<Result> {
    const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
    if (method === undefined) throw new AppError('forbidden', 'This call of the bank aggregator is not open to actions.');
    if (CREDENTIALS.some((field) => Object.hasOwn(body, field))) {
      throw new AppError('invalid_request', 'A call of the bank aggregator takes no token or credentials.');
    }
    const read = async () => {
      const bytes = await fetchAnswer(options, item, signal, { name, method, body, isLarge: 'run' in answer });
      return understand(bytes, answer, args as Args, { userId, signal }, 'kept').catch(asBankAnswer);
    };
    return 'run' in answer ? options.lanes.run(userId, read) : read();
  }
  return { call };
}

interface Request {
  name: BankCall;
  method: Method;
  body: Record<string, unknown>;
  isLarge: boolean;
}

async function fetchAnswer(options: BankSessionOptions, item: BankItemAccess, signal: AbortSignal, request: Request) {
  const { name, method, body, isLarge } = request;
  signal.throwIfAborted();
  const limit = deadline(name === 'accounts/balance/get' ? LIVE_MS : options.timeoutMs);
  const limits = { signal: AbortSignal.any([signal, limit]), maxContentLength: isLarge ? MAX_ANSWER_BYTES : LARGE_BYTES };
  const send = (fields: object) => options.send((client, given) => method(client, { ...body, ...fields } as never, given), limits);
  // The one call that is about no item.
  if (name !== 'institutions/get_by_id') return asItem(item, (accessToken) => send({ access_token: accessToken }));
  return send(body.country_codes === undefined ? { country_codes: options.countryCodes } : {}).catch(refusedInput);
}

/** What a refusal reveals of the item is told before the error goes on. */
async function asItem<Result>(item: BankItemAccess, work: (accessToken: string) => Promise<Result>): Promise<Result> {
  const accessToken = await item.current();
  try {
    return await work(accessToken);
  } catch (error) {
    // Consent to one product says nothing of the others: the item stays in use.
    if (isItemRejection(error) && !isConsentMissing(error)) {
      const current = await item.rejected(accessToken, error.code);
      if (!current) throw new AppError('conflict', 'This bank was linked anew meanwhile. Try again.', { retryAfter: 1, cause: error });
    }
    return refusedInput(error);
  }
}

function refusedInput(error: unknown): never {
  throw asInputError(error);
}
