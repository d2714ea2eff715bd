// @ts-check
/**
 * A client for Steward's WebSocket API (protocol steward.v1) without dependencies. Works in
 * browsers and in Node 22 and later.
 *
 *     import { StewardClient } from './steward-client.js';
 *
 *     const steward = new StewardClient({ url: 'https://steward.example.com', token: () => user.getIdToken() });
 *     steward.addEventListener('account.status', ({ detail }) => console.log(detail.data));
 *     const { data } = await steward.call('mail.search', { query: 'is:unread' });
 *
 * It connects when it is first needed, renews its sign-in before the token expires, reconnects after a lost connection
 * with random, increasing delays, and then requests the events that it missed. Requests are never sent twice: if the
 * connection breaks, the error says whether repeating the request is safe.
 */

/**
 * @typedef {object} StewardClientOptions
 * @property {string | URL} url Address of the service; `/ws` is appended.
 * @property {(why: 'connect' | 'renew' | 'refused') => string | undefined | Promise<string | undefined>} [token]
 *   Returns a valid ID token or personal access token. `refused`: the last one was rejected, so fetch a new one. Returning nothing closes the
 *   connection, because no user is signed in. After an error (for example offline), it is called again later.
 * @property {(why: 'connect' | 'renew' | 'refused') => string | undefined | Promise<string | undefined>} [session]
 *   In place of `token`, for a page of the service's own origin, whose browser is signed in there: returns the `csrf_token`
 *   of `GET /auth/session`, called again when `token` would be. Returning nothing says that nobody is signed in.
 * @property {number} [since] The last event of an earlier session; later events are sent again.
 * @property {StewardStore} [store] Stores that number, so that no event is missed between sessions.
 * @property {StewardClock} [clock] For tests that don't wait: replaces the clock of this machine.
 *
 * @typedef {object} StewardClock
 * @property {() => number} now Milliseconds since 1970.
 * @property {(ms: number, callback: () => void) => { cancel: () => unknown }} after Calls back once, unless it is cancelled before.
 *
 * @typedef {object} StewardStore One for each user, because events are numbered by user.
 * @property {() => number | string | null | undefined | Promise<number | string | null | undefined>} get The number set last, if any.
 * @property {(seq: number) => unknown} set Called after the listeners of each event.
 *
 * @typedef {object} StewardEvent
 * @property {number} seq Increases by one for each event of the user.
 * @property {string} at When it was recorded, by the service’s clock: ISO 8601.
 * @property {string} event `account.status`, `approval.requested`, `integrations.updated`, …
 * @property {Record<string, unknown>} data
 *
 * @typedef {object} CallOptions
 * @property {string} [account] Id or label of the account; default: the default account.
 * @property {string} [idempotencyKey] A change with this key runs once, however often it is sent.
 * @property {AbortSignal} [signal] Stops waiting, and aborts the call if it changes nothing.
 * @property {(progress: {ms: number, message?: string}) => void} [onProgress]
 *
 * @typedef {{type: string, messageId?: string, messageMetadata?: any} & Record<string, any>} ChatChunk
 *   A UIMessageChunk of the AI SDK: `start`, `text-delta`, `tool-output-available`, `tool-approval-request`, `finish`, …
 *
 * @typedef {object} ChatReading
 * @property {(chunk: ChatChunk) => void} [onChunk] Called for each part of the answer as it is made.
 * @property {AbortSignal} [signal] Stops the answer for everyone who reads it, as {@link StewardClient#stopChat} does.
 *
 * @typedef {object} Waiting
 * @property {boolean} sent
 * @property {number} size
 * @property {boolean} repeatable Sending it again is safe.
 * @property {(value: any) => void} resolve
 * @property {(error: Error) => void} reject
 * @property {((progress: {ms: number, message?: string}) => void) | undefined} onProgress
 * @property {((chunk: ChatChunk) => void) | undefined} onChunk
 * @property {string | undefined} thread Of an answer that is read.
 */

/**
 * @typedef {import('./generated/types.js').Actions} Actions The built-in actions: their inputs and outputs.
 * @typedef {import('./generated/types.js').CallMeta} CallMeta
 */

/**
 * @template {string} Name
 * @typedef {Name extends keyof Actions ? Actions[Name]['input'] : Record<string, unknown>} InputOf Of an action; of an unknown one, any fields.
 */

/**
 * @template {string} Name
 * @typedef {Name extends keyof Actions ? Actions[Name]['output'] : unknown} OutputOf
 */

/**
 * @template [Data=unknown]
 * @typedef {{data: Data, meta: CallMeta}} CallResult
 */

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 60_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** Time before a token's expiry at which another one is requested, milliseconds. */
const RENEW_MS = 60_000;
const AUTHENTICATION = 4401;
const TOO_MUCH = 4429;
const TOO_LARGE = 1009;
/** Delay after `TOO_MUCH` if the service does not name one. */
const TOO_MUCH_MS = 60_000;
/** Request id of a sign-in; requests have numbers. */
const SIGN_IN = 'authenticate';
/** Errors after which a new token would not help. */
const USER_DELETED = 'user deleted';
/** @type {StewardClock} */
const OWN_CLOCK = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return { cancel: () => clearTimeout(timer) };
  },
};

/** An error response of the service, or of the connection. */
export class StewardError extends Error {
  /** @param {string} code @param {string} message @param {Record<string, any>} [details] */
  constructor(code, message, details = {}) {
    super(message);
    this.name = 'StewardError';
    /** Error code: `reauth_required`, `approval_required`, `disconnected`, `outcome_unknown`, … */
    this.code = code;
    /** Whether the same call may succeed later and repeating it is safe. */
    this.retryable = details.retryable === true;
    /** Further fields of the error: `approvalId`, `choices`, `retryAfter` (seconds), … */
    this.details = details;
  }
}

/**
 * Dispatches `state` (a change of {@link StewardClient#state}; `detail.reason` is the error, if there was one), `event` for
 * every event of the user, and each event under its own name, too (`detail` is a {@link StewardEvent}).
 */
export class StewardClient extends EventTarget {
  /** @type {StewardClientOptions} */ #options;
  /** @type {(why: 'connect' | 'renew' | 'refused') => string | undefined | Promise<string | undefined>} */ #credential;
  /** @type {'token' | 'csrf_token'} its field in the frame that signs in */ #field;
  /** @type {StewardClock} */ #clock;
  /** @type {WebSocket | undefined} */ #socket;
  /** @type {'closed' | 'connecting' | 'open' | 'waiting'} */ #state = 'closed';
  /** @type {Map<string, Waiting>} */ #waiting = new Map();
  /** @type {PromiseWithResolvers<void> | undefined} */ #opening;
  /** @type {ReturnType<StewardClock['after']> | undefined} */ #timer;
  /** @type {ReturnType<StewardClock['after']> | undefined} */ #renewal;
  /** @type {number | undefined} */ #since;
  /** @type {number | undefined} limit of a frame in bytes, from the service */ #maxBytes;
  /** @type {Set<string>} listed actions that change nothing */ #reads = new Set();
  /** @type {StewardError | undefined} why the service rejected the last sign-in */ #rejection;
  #failures = 0;
  #refused = false;
  #nextId = 0;

  /** @param {StewardClientOptions} options */
  constructor(options) {
    super();
    const { token, session } = options;
    const credential = token ?? session;
    if (credential === undefined || (token !== undefined && session !== undefined))
      throw new TypeError('Either token or session is required.');
    this.#credential = credential;
    this.#field = token === undefined ? 'csrf_token' : 'token';
    this.#options = options;
    this.#clock = options.clock ?? OWN_CLOCK;
    this.#since = options.since;
  }

  /** `closed`: no user is signed in; `waiting`: the connection was lost and will be retried. */
  get state() {
    return this.#state;
  }

  /** Number of the last event; store it to receive later events in another session. */
  get since() {
    return this.#since;
  }

  /**
   * Connects, unless it is connected. Calls do so automatically.
   *
   * @returns {Promise<void>} settles when the sign-in is accepted or finally rejected
   */
  connect() {
    if (this.#state === 'open') return Promise.resolve();
    this.#opening ??= Promise.withResolvers();
    const { promise } = this.#opening;
    // Prevents an unhandled rejection when no caller waits.
    promise.catch(() => {});
    if (this.#state === 'closed') this.#open('connect');
    return promise;
  }

  /** Closes the connection; {@link connect} opens it again. */
  close() {
    this.#end(new StewardError('closed', 'The connection was closed.'));
  }

  /**
   * The agents with their accounts and actions.
   *
   * @returns {Promise<import('./generated/types.js').ListResultFrame['data']>}
   */
  async list() {
    const { data } = await this.#request({ type: 'list' });
    const actions = data.agents.flatMap((/** @type {any} */ agent) => agent.actions);
    const reads = actions.filter((/** @type {any} */ one) => one.effect === 'read');
    this.#reads = new Set(reads.flatMap((/** @type {any} */ { name, tool }) => [name, tool]));
    return data;
  }

  /**
   * Runs an action.
   *
   * @template {string} Name
   * @param {Name | keyof Actions} action e.g. `mail.search`, or as a tool `mail_search`, whose input may name the `account`
   * @param {InputOf<Name>} [input]
   * @param {CallOptions} [options]
   * @returns {Promise<CallResult<OutputOf<Name>>>}
   * @throws {StewardError} `approval_required` has `details.approvalId` for {@link approve}, and `details.url` of a page
   *   where the user can decide; `outcome_unknown`: the connection was lost, and the action may have run. With an
   *   `idempotencyKey`, or for an action that {@link list} returned as a read, the code is `disconnected` instead, and the
   *   call may be repeated
   */
  call(action, input = /** @type {any} */ ({}), { account, idempotencyKey, signal, onProgress } = {}) {
    return this.#request({ type: 'call', action, input, account, idempotencyKey }, { signal, onProgress });
  }

  /**
   * Decides an approval request. If approved, the action runs with exactly the arguments shown, or with the `input` that
   * the user put in their place. With `rememberFor`, calls like it run without a question for so many days (1 to 30).
   *
   * @param {string} approvalId
   * @param {boolean} [approved]
   * @param {Pick<CallOptions, 'signal' | 'onProgress'> & { input?: object, rememberFor?: number }} [options]
   * @returns {Promise<CallResult>}
   * @throws {StewardError} `approval_required` when more people would see the changed call: the question has changed
   */
  approve(approvalId, approved = true, { signal, onProgress, input, rememberFor } = {}) {
    return this.#request({ type: 'approve', approvalId, approved, input, rememberFor }, { signal, onProgress });
  }

  /**
   * How an approval ended, and for an hour what its call returned; only for the user, or the token, that made the call.
   *
   * @param {string} approvalId
   * @returns {Promise<import('./generated/types.js').ApprovalOutcome>}
   */
  async approvalResult(approvalId) {
    return (await this.#request({ type: 'approval_result', approvalId })).data;
  }

  /**
   * Pending approval requests.
   *
   * @returns {Promise<import('./generated/types.js').Approval[]>}
   */
  async approvals() {
    return (await this.#request({ type: 'approvals' })).data.approvals;
  }

  /**
   * Sends a message to the assistant and reads its answer. A lost connection does not stop the answer: read it with
   * {@link resumeChat}.
   *
   * @param {{threadId: string, text: string, model?: string, messageId?: string}} message `threadId`: 1 to 64 letters,
   *   digits, `_` or `-`, chosen by the front end, as is `messageId`; `model`: one of `GET /models`
   * @param {ChatReading} [reading]
   * @returns {Promise<void>} when the answer has ended, also if it waits for an approval
   * @throws {StewardError} `conflict` while the thread has another answer under way; `rate_limited`: the day's budget is
   *   used up; `assistant_disabled`: no model is configured; `outcome_unknown`: the connection was lost
   */
  async chat({ threadId, text, model, messageId = crypto.randomUUID() }, reading = {}) {
    await this.#sendMessage(threadId, { id: messageId, role: 'user', parts: [{ type: 'text', text }] }, model, reading);
  }

  /**
   * Lets the assistant go on with its last message, after the approvals that it asked for were decided. The service looks
   * up how they ended.
   *
   * @param {{threadId: string, messageId: string, model?: string}} message the assistant's
   * @param {ChatReading} [reading]
   * @returns {Promise<void>} when the answer has ended
   * @throws {StewardError} `approval_required` while an approval is undecided
   */
  async continueChat({ threadId, messageId, model }, reading = {}) {
    await this.#sendMessage(threadId, { id: messageId, role: 'assistant', parts: [{ type: 'step-start' }] }, model, reading);
  }

  /**
   * Reads the answer that a thread has under way, from its first chunk on.
   *
   * @param {string} threadId
   * @param {ChatReading} [reading]
   * @returns {Promise<boolean>} false: there is none
   */
  resumeChat(threadId, { onChunk, signal } = {}) {
    return this.#request({ type: 'resume', id: threadId, headers: {}, body: {} }, { signal, onChunk, thread: threadId });
  }

  /**
   * Stops the answer of a thread that is read here. What it has said and done remains.
   *
   * @param {string} threadId
   * @returns {boolean} whether one was read here
   */
  stopChat(threadId) {
    const reading = [...this.#waiting].filter(([, { thread }]) => thread === threadId);
    for (const [requestId] of reading) this.#send({ type: 'abort', requestId });
    return reading.length > 0;
  }

  /**
   * @param {string} threadId @param {object} message the last one of the thread
   * @param {string | undefined} model @param {ChatReading} reading
   */
  #sendMessage(threadId, message, model, { onChunk, signal }) {
    const frame = { type: 'send', id: threadId, trigger: 'submit-message', messages: [message], headers: {}, body: { model } };
    return this.#request(frame, { signal, onChunk, thread: threadId });
  }

  /**
   * @param {Record<string, unknown>} frame
   * @param {{signal?: AbortSignal | undefined} & Partial<Pick<Waiting, 'onProgress' | 'onChunk' | 'thread'>>} [options]
   */
  async #request(frame, { signal, onProgress, onChunk, thread } = {}) {
    signal?.throwIfAborted();
    await abortable(this.connect(), signal);
    const requestId = String(++this.#nextId);
    const text = JSON.stringify({ ...frame, requestId });
    const size = new Blob([text]).size;
    if (this.#maxBytes !== undefined && size > this.#maxBytes) throw tooLarge(this.#maxBytes);
    const { promise, resolve, reject } = Promise.withResolvers();
    const waiting = { sent: false, size, repeatable: this.#isRepeatable(frame), resolve, reject, onProgress, onChunk, thread };
    this.#waiting.set(requestId, waiting);
    // The response decides, because a call that has started may complete.
    const abort = () =>
      this.#send(thread === undefined ? { type: 'abort', requestId: String(++this.#nextId), id: requestId } : { type: 'abort', requestId });
    signal?.addEventListener('abort', abort, { once: true });
    waiting.sent = this.#sendText(text);
    try {
      return await promise;
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#waiting.delete(requestId);
    }
  }

  /** @param {Record<string, unknown>} frame */
  #isRepeatable({ type, action, idempotencyKey }) {
    if (type === 'call') return idempotencyKey !== undefined || this.#reads.has(String(action));
    return type === 'list' || type === 'approvals' || type === 'approval_result' || type === 'resume';
  }

  /** @param {object} frame */
  #send(frame) {
    this.#sendText(JSON.stringify(frame));
  }

  /** @param {string} text @returns whether it was sent */
  #sendText(text) {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(text);
    return true;
  }

  /** @param {'connect' | 'refused'} why */
  async #open(why) {
    this.#become('connecting');
    const opening = Symbol();
    this.#current = opening;
    const { token, failed } = await this.#token(why);
    if (this.#current !== opening) return;
    if (failed) {
      this.#wait(this.#backOff(), new StewardError('no_token', 'No token could be fetched.', { retryable: true }));
      return;
    }
    if (!token) {
      this.#end(signedOut());
      return;
    }
    const isKnown = await this.#restore();
    if (this.#current !== opening) return;
    if (!isKnown) {
      this.#wait(this.#backOff(), new StewardError('no_store', 'The last event could not be read from the store.', { retryable: true }));
      return;
    }
    this.#rejection = undefined;
    const url = new URL(this.#options.url);
    url.protocol = url.protocol.replace('http', 'ws');
    url.pathname = `${url.pathname.replace(/\/$/, '')}/ws`;
    const socket = new WebSocket(url);
    this.#socket = socket;
    socket.addEventListener('open', () => this.#authenticate(token));
    socket.addEventListener('message', ({ data }) => this.#socket === socket && this.#receive(JSON.parse(String(data))));
    socket.addEventListener('close', ({ code, reason }) => this.#socket === socket && this.#lost(code, reason));
  }

  /** @type {symbol | undefined} invalidated by close(), which ends the attempt */
  #current;

  /** @param {'connect' | 'renew' | 'refused'} why */
  async #token(why) {
    try {
      return { token: await this.#credential(why), failed: false };
    } catch {
      return { token: undefined, failed: true };
    }
  }

  /** Waits for the number of the last event, without which events would be missed. @returns {Promise<boolean>} */
  async #restore() {
    if (this.#since !== undefined || this.#options.store === undefined) return true;
    try {
      const kept = await this.#options.store.get();
      const seq = typeof kept === 'string' && kept !== '' ? Number(kept) : kept;
      if (typeof seq === 'number' && Number.isSafeInteger(seq) && seq >= 0) this.#since = seq;
      return true;
    } catch {
      return false;
    }
  }

  /** A failure is ignored, because the next number will be stored. @param {number} seq */
  async #keep(seq) {
    this.#since = seq;
    try {
      await this.#options.store?.set(seq);
    } catch {}
  }

  /** The token is sent in a frame, because URLs are logged. @param {string} token */
  #authenticate(token) {
    this.#send({
      type: 'authenticate',
      requestId: SIGN_IN,
      [this.#field]: token,
      ...(this.#since !== undefined && { since: this.#since }),
    });
  }

  /** @param {any} frame */
  #receive(frame) {
    if (frame.type === 'ready') this.#ready(frame);
    else if (frame.type === 'event') this.#dispatch(frame);
    else if (frame.type === 'error' && frame.requestId === SIGN_IN) this.#signInRejected(errorOf(frame));
    const waiting = this.#waiting.get(frame.requestId);
    if (waiting === undefined) return;
    if (frame.type === 'chunk') waiting.onChunk?.(frame.chunk);
    if (frame.type === 'end' || frame.type === 'no-active') waiting.resolve(frame.type === 'end');
    if (frame.type === 'progress') waiting.onProgress?.({ ms: frame.ms, message: frame.message });
    if (frame.type === 'result') waiting.resolve({ data: frame.data, meta: frame.meta });
    if (frame.type === 'error') waiting.reject(errorOf(frame));
  }

  /** @param {{expiresAt: string, seq?: number, maxBytes?: number}} frame */
  #ready({ expiresAt, seq, maxBytes }) {
    this.#failures = 0;
    this.#refused = false;
    this.#rejection = undefined;
    this.#maxBytes = maxBytes;
    if (this.#since === undefined && seq !== undefined) this.#keep(seq);
    this.#become('open');
    this.#opening?.resolve();
    this.#opening = undefined;
    const left = Date.parse(expiresAt) - this.#clock.now();
    // Well before the expiry, but not immediately for tokens of one minute.
    this.#renewIn(Math.max(left - RENEW_MS, left / 2, 0));
  }

  /** @param {number} ms */
  #renewIn(ms) {
    this.#renewal?.cancel();
    this.#renewal = this.#clock.after(Math.min(ms, LONGEST_TIMER_MS), () => this.#renew());
  }

  async #renew() {
    const socket = this.#socket;
    const { token, failed } = await this.#token('renew');
    if (socket === undefined || socket !== this.#socket) return;
    // There is time for retries until the old token expires.
    if (failed) this.#renewIn(this.#backOff());
    else if (token) this.#send({ type: 'authenticate', requestId: SIGN_IN, [this.#field]: token });
    else this.#end(signedOut());
  }

  /** The service then closes the connection, unless it could not check the token of a renewal. @param {StewardError} rejection */
  #signInRejected(rejection) {
    this.#rejection = rejection;
    if (this.#state === 'open' && rejection.retryable) this.#renewIn(this.#backOff());
  }

  /** @param {StewardEvent} frame */
  #dispatch({ seq, at, event, data }) {
    this.#since = seq;
    const detail = { seq, at, event, data };
    this.dispatchEvent(new CustomEvent('event', { detail }));
    this.dispatchEvent(new CustomEvent(event, { detail }));
    this.#keep(seq);
  }

  /** @param {number} code @param {string} reason */
  #lost(code, reason) {
    this.#socket = undefined;
    this.#renewal?.cancel();
    this.#rejectLost(code);
    if (code === AUTHENTICATION && (this.#refused || reason === USER_DELETED)) {
      this.#end(signedOut(this.#rejection?.message || reason));
      return;
    }
    // Not because of the token, so another one would not help.
    if (code === AUTHENTICATION && this.#rejection?.code === 'invalid_request') {
      this.#end(this.#rejection);
      return;
    }
    this.#refused = code === AUTHENTICATION;
    this.#wait(
      this.#refused ? 0 : this.#pause(code, reason),
      this.#rejection ?? new StewardError('disconnected', reason || 'The connection was lost.', { retryable: true }),
    );
  }

  /** Requests a token and connects after a delay. @param {number} ms @param {StewardError} reason */
  #wait(ms, reason) {
    this.#timer = this.#clock.after(ms, () => this.#open(this.#refused ? 'refused' : 'connect'));
    this.#become('waiting', reason);
  }

  /** Delay after a lost connection, milliseconds. @param {number} code @param {string} reason */
  #pause(code, reason) {
    const asked = retryAfter(reason);
    // Random, because a user's many clients must not reconnect at the same time.
    return code === TOO_MUCH ? (asked ?? TOO_MUCH_MS) + this.#backOff() : (asked ?? this.#backOff());
  }

  /** Full jitter, because thousands of clients of one server must not reconnect at the same time. */
  #backOff() {
    const longest = Math.min(FIRST_DELAY_MS * 2 ** this.#failures, LONGEST_DELAY_MS);
    this.#failures += 1;
    return Math.random() * longest;
  }

  /** @param {StewardError} reason */
  #end(reason) {
    this.#current = undefined;
    this.#timer?.cancel();
    this.#renewal?.cancel();
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
    this.#rejectWaiting(reason);
    this.#opening?.reject(reason);
    this.#opening = undefined;
    this.#refused = false;
    this.#failures = 0;
    this.#become('closed', reason);
  }

  /** A request that was sent may have been executed. @param {number} code */
  #rejectLost(code) {
    const largest = code === TOO_LARGE ? [...this.#waiting.values()].sort((one, other) => other.size - one.size)[0] : undefined;
    for (const waiting of this.#waiting.values()) {
      if (waiting === largest) waiting.reject(tooLarge(this.#maxBytes));
      else waiting.reject(waiting.sent && !waiting.repeatable ? outcomeUnknown() : disconnected());
    }
    this.#waiting.clear();
  }

  /** @param {StewardError} error */
  #rejectWaiting(error) {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  /** @param {'closed' | 'connecting' | 'open' | 'waiting'} state @param {StewardError} [reason] */
  #become(state, reason) {
    if (state === this.#state) return;
    this.#state = state;
    this.dispatchEvent(new CustomEvent('state', { detail: { state, reason } }));
  }
}

/** @param {{errorText: string, error: {code: string} & Record<string, any>}} frame */
function errorOf({ errorText, error }) {
  return new StewardError(error.code, errorText, error);
}

function disconnected() {
  return new StewardError('disconnected', 'The connection was lost before the response was received.', { retryable: true });
}

function outcomeUnknown() {
  return new StewardError(
    'outcome_unknown',
    'The connection was lost before the response was received, and the action may have run. Check before you repeat it.',
  );
}

/** @param {number} [most] */
function tooLarge(most) {
  return new StewardError('too_large', `The request is larger than ${most ?? 'the service takes'}${most === undefined ? '' : ' bytes'}.`);
}

/** @param {string} [why] */
function signedOut(why) {
  return new StewardError('signed_out', why || 'No user is signed in.');
}

/** The delay in a close reason, milliseconds: `{"retry_after": seconds}`. @param {string} reason */
function retryAfter(reason) {
  try {
    const { retry_after: seconds } = JSON.parse(reason);
    return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
  } catch {
    return undefined;
  }
}

/** @template T @param {Promise<T>} promise @param {AbortSignal} [signal] @returns {Promise<T>} */
function abortable(promise, signal) {
  if (signal === undefined) return promise;
  const { promise: aborted, reject } = Promise.withResolvers();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([promise, /** @type {Promise<T>} */ (aborted)]).finally(() => signal.removeEventListener('abort', abort));
}
