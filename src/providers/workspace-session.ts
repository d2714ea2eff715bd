import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { AppError } from '../errors.ts';
import { toWorkspaceApiError } from './workspace-api-errors.ts';
import { type Answer, Attempt, type Method, type MethodParams, timedOut, type WorkspaceApiOptions } from './workspace-attempt.ts';

/** Where a session gets its access tokens from; the vault keeps them fresh. */
export interface AccessTokenSource {
  /** An access token that is valid now. */
  current(): Promise<string>;
  /** Another one, after the provider answered 401 to this one. */
  renewed(rejected: string): Promise<string>;
}

export interface Download {
  bytes: Buffer;
  /** As the provider says, without parameters; `application/octet-stream` when it doesn't. */
  mimeType: string;
}

/** Sends one request when it is its turn. */
export type Send = (attempt: Attempt, method: Method, params: MethodParams) => Promise<Answer | undefined>;

const MAX_SENDS = 4;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_SECONDS = 10;

/**
 * Calls on behalf of one account. A safe request (GET) is sent again after
 * 429, 403 rateLimitExceeded, 5xx and a 401 that a fresh token may heal;
 * anything else is sent once, whatever happens.
 */
export class WorkspaceSession {
  readonly #options: WorkspaceApiOptions;
  readonly #find: (method: string) => Promise<Method>;
  readonly #sendOne: Send;
  readonly #tokens: AccessTokenSource;
  readonly #signal: AbortSignal;
  /** Requests for a change that went out and were not refused. */
  #changes = 0;

  constructor(
    options: WorkspaceApiOptions,
    find: (method: string) => Promise<Method>,
    send: Send,
    tokens: AccessTokenSource,
    signal: AbortSignal,
  ) {
    this.#options = options;
    this.#find = find;
    this.#sendOne = send;
    this.#tokens = tokens;
    this.#signal = signal;
  }

  /** Something was sent that may have changed the account, whatever its answer was; false after a plain refusal (4xx). */
  get mayHaveChanged(): boolean {
    return this.#changes > 0;
  }

  /**
   * Calls a method that answers JSON (or nothing).
   *
   * @param method discovery id, e.g. `gmail.users.messages.list`
   * @param answer what of the answer is used; anything else in it is dropped
   * @throws WorkspaceApiError when the provider refused; AppError `provider_error`, `provider_timeout`, `too_large`
   */
  async call<S extends z.ZodType>(method: string, params: MethodParams, answer: S): Promise<z.output<S>> {
    const { bytes, isRead } = await this.#send(method, params);
    // A change may have nothing to say; what was asked for is never nothing.
    const value = bytes.length === 0 && !isRead ? {} : parse(bytes);
    // Told from the schema's refusals: some schemas take anything, and a page with status 200 is not anything.
    if (value === undefined) throw notUnderstood(`${method}: not JSON`);
    const parsed = answer.safeParse(value);
    if (parsed.success) return parsed.data;
    const fields = parsed.error.issues.map((issue) => issue.path.join('.')).slice(0, 10);
    throw notUnderstood(`${method}: unexpected ${fields.join(', ') || 'answer'}`);
  }

  /** Calls a method that answers bytes: `alt: 'media'`, or an export. */
  async download(method: string, params: MethodParams): Promise<Download> {
    const { bytes, headers } = await this.#send(method, params);
    const type = /^[\w.+-]+\/[\w.+-]+/.exec(headers.get('content-type') ?? '')?.[0];
    return { bytes, mimeType: type?.toLowerCase() ?? 'application/octet-stream' };
  }

  async #send(id: string, params: MethodParams): Promise<Answer & { isRead: boolean }> {
    const method = await this.#find(id);
    let renewed = false;
    let token = await this.#tokens.current();
    for (let sends = 1; ; sends += 1) {
      const attempt = new Attempt(this.#options, token, this.#signal, () => {
        this.#changes += 1;
      });
      const answer = await this.#sendOne(attempt, method, params);
      if (!attempt.safe && (answer === undefined ? attempt.neverSent : isRefusal(answer.status))) this.#changes -= 1;
      if (answer !== undefined && answer.status >= 200 && answer.status < 300) return { ...answer, isRead: attempt.safe };
      const error =
        answer === undefined ? attempt.failure() : toWorkspaceApiError(answer.status, parse(answer.bytes), retryAfterOf(answer));
      if (answer?.status === 401 && !renewed) {
        renewed = true;
        token = await this.#tokens.renewed(token);
        if (attempt.safe) continue;
        // Not sent again, though it was refused: whoever asked for a change decides on a second try.
        throw new AppError('unavailable', 'The connection to the account was renewed. Try again.', { retryAfter: 1, cause: error });
      }
      // The tokens are new and the consent stands, or the vault had said so: it is not the user who must act.
      if (answer?.status === 401) throw new AppError('provider_error', 'The provider refuses a new access token.', { cause: error });
      const mayHeal = answer === undefined || answer.status >= 500 || error.code === 'rate_limited';
      // What the provider asked for itself: the error also guesses one, for the caller.
      const asked = answer && retryAfterOf(answer);
      if (!attempt.safe || !mayHeal || sends >= MAX_SENDS || (asked ?? 0) > LONGEST_PAUSE_SECONDS) throw error;
      await this.#pause(sends, asked);
    }
  }

  /** As long as the provider asked for, else doubling with full jitter. */
  async #pause(sends: number, seconds: number | undefined): Promise<void> {
    const ms = seconds === undefined ? FIRST_PAUSE_MS * 2 ** (sends - 1) * (0.5 + Math.random() / 2) : seconds * 1000;
    try {
      await sleep(ms, undefined, { signal: this.#signal });
    } catch {
      throw timedOut();
    }
  }
}

/** 408 may come in the middle of an answer's making; any other 4xx says that nothing was done. */
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408;
}

function retryAfterOf({ headers }: Answer): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(Math.ceil(seconds), 3600) : undefined;
}

/** A field that is null says no more than one that isn't there; the provider's own servers leave it out. */
function parse(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  try {
    return text.includes('null') ? JSON.parse(text, withoutNull) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function withoutNull(this: unknown, _key: string, value: unknown): unknown {
  // In a list each place counts.
  return value === null && !Array.isArray(this) ? undefined : value;
}

function notUnderstood(cause: string): AppError {
  return new AppError('provider_error', 'The provider’s answer could not be understood.', { cause: new Error(cause) });
}
