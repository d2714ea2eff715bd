import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../errors.ts';
import { backoff } from '../../rate-limit/backoff.ts';
import { offThread } from '../../threads/off-thread.ts';
import type { Portable } from '../../threads/portable.ts';
import type { GrantAccess } from '../provider.ts';
import { retryAfterSeconds } from '../provider-fetch.ts';
import { notUnderstood, parseJson } from '../response-json.ts';
import { type AnswerReader, type Understanding, understand } from '../responses.ts';
import { toWorkspaceApiError, WorkspaceApiError } from './workspace-api-errors.ts';
import { type Answer, Attempt, type Method, type MethodParams, type SessionOptions, timedOut } from './workspace-attempt.ts';

/** Where a session gets its access tokens from. */
type Tokens = Pick<GrantAccess, 'current' | 'renewed'>;

/** Does a piece of work when it is its turn. */
export type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

interface Sent {
  attempt: Attempt;
  /** What it was sent with. */
  token: string;
  /** undefined when no whole answer came. */
  answer: Answer | undefined;
}

/** A little above the provider's own cap on exports (10 MB). */
const MAX_ANSWER_BYTES = 12 * 1024 * 1024;
/** Where little is expected: an answer for which a schema does. */
const MAX_PLAIN_BYTES = 2 * 1024 * 1024;
const MAX_SENDS = 4;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_SECONDS = 10;
/** A token that was taken longer ago is taken anew: its account may have been disconnected. */
const FRESH_MS = 300;

/**
 * Calls on behalf of one account. A safe request (GET) is sent again after
 * 429, 403 rateLimitExceeded, 5xx and a 401 that a fresh token may heal;
 * anything else is sent once, whatever happens.
 */
export class WorkspaceSession {
  readonly #options: SessionOptions;
  readonly #find: (method: string) => Promise<Method>;
  readonly #inTurn: InTurn;
  readonly #tokens: Tokens;
  readonly #signal: AbortSignal;
  /** Requests for a change that went out and were not refused. */
  #changes = 0;

  constructor(options: SessionOptions, find: (method: string) => Promise<Method>, inTurn: InTurn, tokens: Tokens, signal: AbortSignal) {
    this.#options = options;
    this.#find = find;
    this.#inTurn = inTurn;
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
   * @param answer what of the answer is used; anything else in it is dropped. A schema where it is small, a reader where
   * it may be large
   * @param args what the reader is given beside the answer
   * @throws WorkspaceApiError when the provider refused; AppError `provider_error`, `provider_timeout`, `too_large`
   */
  async call<Result>(method: string, params: MethodParams, answer: Understanding<undefined, Result>): Promise<Result>;
  async call<Args, Result>(method: string, params: MethodParams, answer: AnswerReader<Args, Result>, args: Args): Promise<Result>;
  async call<Args, Result>(method: string, params: MethodParams, answer: Understanding<Args, Result>, args?: Args): Promise<Result> {
    const { bytes, isRead, release } = await this.#send(method, params, 'run' in answer ? MAX_ANSWER_BYTES : MAX_PLAIN_BYTES);
    try {
      // A change may have nothing to say; what was asked for is never nothing.
      const json = bytes.length === 0 && !isRead ? new TextEncoder().encode('{}') : bytes;
      return await understand(json, answer, args as Args, this.#work);
    } catch (error) {
      throw about(method, error);
    } finally {
      release();
    }
  }

  /**
   * Calls a method that answers bytes: `alt: 'media'`, or an export.
   *
   * @param maxBytes more are refused as `too_large`
   * @param use what is made of the bytes, which are let go then
   */
  async download<Result>(
    method: string,
    params: MethodParams,
    maxBytes: number,
    use: (bytes: Uint8Array<ArrayBuffer>) => Result | Promise<Result>,
  ): Promise<Result> {
    const { bytes, release } = await this.#send(method, params, Math.min(maxBytes, MAX_ANSWER_BYTES));
    try {
      return await use(bytes);
    } finally {
      release();
    }
  }

  /**
   * Does work on what came with an answer off the main thread, within the session's time.
   *
   * @param transfer buffers of the input that aren't needed any more
   * @throws AppError what the work throws, and {@link offThread}
   */
  offThread<Input, Output>(work: Portable<Input, Output>, input: Input, transfer: ArrayBuffer[] = []): Promise<Output> {
    return offThread(work, input, { ...this.#work, transfer });
  }

  get #work() {
    return { userId: this.#options.userId, signal: this.#signal };
  }

  async #send(id: string, params: MethodParams, maxBytes: number): Promise<Answer & { isRead: boolean }> {
    const method = await this.#find(id);
    let renewed = false;
    for (let sends = 1; ; sends += 1) {
      const { attempt, token, answer } = await this.#sendOnce(method, params, maxBytes);
      if (!attempt.safe && (answer === undefined ? attempt.neverSent : isRefusal(answer.status))) this.#changes -= 1;
      if (answer !== undefined && answer.status >= 200 && answer.status < 300) return { ...answer, isRead: attempt.safe };
      const error = answer === undefined ? attempt.failure() : refusalOf(id, answer, token);
      if (answer?.status === 401 && !renewed) {
        renewed = true;
        await this.#tokens.renewed(token);
        if (attempt.safe) continue;
        // Not sent again, though it was refused: whoever asked for a change decides on a second try.
        throw new AppError('unavailable', 'The connection to the account was renewed. Try again.', { retryAfter: 1, cause: error });
      }
      // The tokens are new and the consent stands, or the vault had said so: it is not the user who must act.
      if (answer?.status === 401) throw new AppError('provider_error', 'The provider refuses a new access token.', { cause: error });
      const lasts = error instanceof WorkspaceApiError && error.lasting;
      const mayHeal = answer === undefined || answer.status >= 500 || (error.code === 'rate_limited' && !lasts);
      // What the provider asked for itself: the error also guesses one, for the caller.
      const asked = answer && retryAfterOf(answer);
      if (!attempt.safe || !mayHeal || sends >= MAX_SENDS || (asked ?? 0) > LONGEST_PAUSE_SECONDS) throw error;
      await this.#pause(sends, asked);
    }
  }

  /** The token is taken when the request goes out: to wait for the turn may take long, and the account may be gone by then. */
  async #sendOnce(method: Method, params: MethodParams, maxBytes: number): Promise<Sent> {
    // Also before: a renewal must not keep a turn that the user's other accounts could have.
    const early = await this.#tokens.current();
    const takenAt = performance.now();
    return this.#inTurn(async () => {
      if (this.#signal.aborted) throw timedOut();
      const token = performance.now() - takenAt > FRESH_MS ? await this.#tokens.current() : early;
      const attempt = new Attempt(this.#options, token, this.#signal, maxBytes, () => {
        this.#changes += 1;
      });
      return { attempt, token, answer: await attempt.run(method, params) };
    });
  }

  /** As long as the provider asked for, else doubling with jitter. */
  async #pause(sends: number, seconds: number | undefined): Promise<void> {
    const ms = seconds === undefined ? backoff(FIRST_PAUSE_MS, sends) : seconds * 1000;
    try {
      await sleep(ms, undefined, { signal: this.#signal });
    } catch {
      throw timedOut();
    }
  }
}

function refusalOf(method: string, answer: Answer, token: string): WorkspaceApiError {
  const { status, bytes } = answer;
  return toWorkspaceApiError(method, { status, body: parseJson(bytes), retryAfter: retryAfterOf(answer), sent: [token] });
}

/** 408 may come in the middle of an answer's making; any other 4xx says that nothing was done. */
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408;
}

function retryAfterOf({ headers }: Answer): number | undefined {
  return retryAfterSeconds(headers.get('retry-after')) || undefined;
}

/** For the log: which method's answer it was. */
function about(method: string, error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'provider_error' || !(error.cause instanceof Error)) return error;
  return notUnderstood(`${method}: ${error.cause.message}`);
}
