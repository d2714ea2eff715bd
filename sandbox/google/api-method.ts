import type { Account } from '../workspace-accounts.ts';

/** One call to an API, its token already checked. */
export interface ApiRequest<State> {
  account: Account;
  /** Path parameters, decoded. */
  params: Record<string, string>;
  query: URLSearchParams;
  /** Parsed JSON; undefined when there was none. */
  body: unknown;
  /** Raw body of uploads (`/upload/…`) with its content type. */
  upload: { bytes: Buffer; contentType: string } | undefined;
  /** What the API keeps for this account, seeded on first use. Change it in place; it is saved when the call returns. */
  state: State;
  /** The sandbox's time, milliseconds since 1970. */
  now: number;
}

export type ApiAnswer = { json: object } | { bytes: Buffer; contentType: string } | { empty: true };

export interface ApiMethod<State> {
  verb: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the APIs' root, Express syntax: `/gmail/v1/users/:userId/messages`. */
  path: string;
  /** Scope URLs, any one of which suffices. */
  scopes: readonly string[];
  /** Cost against the account's quota a minute. */
  units: number;
  handle(request: ApiRequest<State>): ApiAnswer;
}

export interface SandboxApi<State> {
  /** `gmail`: names its state's file and its quota. */
  name: string;
  /** Names the state's file in place of `name` where two APIs work on the same things: a document is a file of the drive. */
  store?: string;
  /** Quota units a minute and account. */
  unitsPerMinute: number;
  /** What a new account holds; the same each time for the same account. */
  seed(account: Account, now: number): State;
  methods: readonly ApiMethod<State>[];
}
