import type { Account } from '../workspace-accounts.ts';
import type { Upload } from './drive-upload.ts';

/** One call to an API, with a valid token. */
export interface ApiRequest<State> {
  account: Account;
  /** Path parameters, decoded. */
  params: Record<string, string>;
  query: URLSearchParams;
  /** Parsed JSON, of an upload its metadata; undefined: none. */
  body: unknown;
  /** The condition of the request (RFC 9110, 13.1.1). */
  ifMatch: string | undefined;
  /** Content of uploads (`/upload/…`). */
  upload: Upload | undefined;
  /** The API's data of this account, created on first use. Change it in place; it is saved after the call. */
  state: State;
  /** The sandbox's time, milliseconds since 1970. */
  now: number;
}

export type ApiResponse = { json: object } | { bytes: Buffer; contentType: string } | { empty: true };

export interface ApiMethod<State> {
  verb: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the APIs' root, Express syntax: `/gmail/v1/users/:userId/messages`. */
  path: string;
  /** Scope URLs, one of which is sufficient. */
  scopes: readonly string[];
  /** Cost against the account's quota a minute. */
  units: number;
  handle(request: ApiRequest<State>): ApiResponse;
}

export interface SandboxApi<State> {
  /** `gmail`: the name of its data file and quota. */
  name: string;
  /** Name of the data file if two APIs share it: a document is a file of the drive. */
  store?: string;
  /** Quota units per minute and account. */
  unitsPerMinute: number;
  /** Initial data of an account; always the same for one account. */
  seed(account: Account, now: number): State;
  /**
   * Called before each change. What it returns is called after it, and notes in the data what has changed: see history.list,
   * `syncToken` and changes.list.
   */
  watch?(state: State): (now: number) => void;
  methods: readonly ApiMethod<State>[];
}
