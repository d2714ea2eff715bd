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
 * It connects when it is first needed, renews its sign-in in place before the token ends, comes
 * back after a lost connection (at random, ever more slowly), and then asks for the events it missed. Requests are
 * never sent twice: where a connection breaks, an error says whether sending one again could do something twice.
 */

/**
 * @typedef {object} StewardClientOptions
 * @property {string | URL} url Address of the service; `/ws` is appended.
 * @property {(why: 'connect' | 'renew' | 'refused') => string | undefined | Promise<string | undefined>} token
 *   Gives a valid ID token. `refused`: the last one wasn't accepted, so fetch a new one. Nothing ends
 *   the connection: nobody is signed in any more. An error (offline, say) has it asked again later.
 * @property {number} [since] The last event seen in an earlier session; everything after it is sent again.
 * @property {StewardStore} [store] Keeps that number by itself, so that no event is missed between sessions.
 *
 * @typedef {object} StewardStore One for each user: numbers of another user's events mean nothing.
 * @property {() => number | string | null | undefined | Promise<number | string | null | undefined>} get What was set last, if anything.
 * @property {(seq: number) => unknown} set Called after each event, once its listeners have run.
 *
 * @typedef {object} StewardEvent
 * @property {number} seq Counts up by one for each user.
 * @property {string} event `account.status`, `approval.requested`, `integrations.updated`, …
 * @property {Record<string, unknown>} data
 *
 * @typedef {object} CallOptions
 * @property {string} [account] Id or label of the account; the default one unless given.
 * @property {string} [idempotencyKey] Makes a change happen once, however often the call is sent.
 * @property {AbortSignal} [signal] Gives up waiting, and ends the call where it changes nothing.
 * @property {(progress: {ms: number, message?: string}) => void} [onProgress]
 *
 * @typedef {object} CallResult
 * @property {any} data
 * @property {{account: string, ms: number, truncated?: boolean}} meta
 *
 * @typedef {object} Waiting
 * @property {boolean} sent
 * @property {number} size
 * @property {boolean} repeatable Sent again, it can do nothing twice.
 * @property {(value: any) => void} resolve
 * @property {(error: Error) => void} reject
 * @property {((progress: {ms: number, message?: string}) => void) | undefined} onProgress
 */

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 60_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** Before a token ends, another one is asked for. */
const RENEW_MS = 60_000;
const AUTHENTICATION = 4401;
const TOO_MUCH = 4429;
const TOO_LARGE = 1009;
/** After `TOO_MUCH`, unless the service says how long. */
const TOO_MUCH_MS = 60_000;
/** Of a sign-in; requests have numbers. */
const SIGN_IN = 'authenticate';
/** A new token would make the user anew. */
const USER_DELETED = 'user deleted';

/** What the service answered instead of a result. */
export class StewardError extends Error {
  /** @param {string} code @param {string} message @param {Record<string, any>} [details] */
  constructor(code, message, details = {}) {
    super(message);
    this.name = 'StewardError';
    /** Stable word for programs: `reauth_required`, `approval_required`, `disconnected`, `outcome_unknown`, … */
    this.code = code;
    /** Whether the same call may succeed later, and does nothing twice. */
    this.retryable = details.retryable === true;
    /** All that came with it: `approvalId`, `choices`, `retryAfter` (seconds), … */
    this.details = details;
  }
}

/**
 * Dispatches `state` (a change of {@link StewardClient#state}; `detail.reason` says why it waits or ended),
 * `event` for every event of the user, and each event under its own name too (`detail` is a {@link StewardEvent}).
 */
export class StewardClient extends EventTarget {
  /** @type {StewardClientOptions} */ #options;
  /** @type {WebSocket | undefined} */ #socket;
  /** @type {'closed' | 'connecting' | 'open' | 'waiting'} */ #state = 'closed';
  /** @type {Map<string, Waiting>} */ #waiting = new Map();
  /** @type {PromiseWithResolvers<void> | undefined} */ #opening;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #renewal;
  /** @type {number | undefined} */ #since;
  /** @type {number | undefined} bytes of a frame, as the service says */ #maxBytes;
  /** @type {Set<string>} actions that change nothing, as far as they were listed */ #reads = new Set();
  /** @type {StewardError | undefined} why the service refused the last sign-in */ #refusal;
  #failures = 0;
  #refused = false;
  #nextId = 0;

  /** @param {StewardClientOptions} options */
  constructor(options) {
    super();
    this.#options = options;
    this.#since = options.since;
  }

  /** `closed`: nobody is signed in; `waiting`: the connection was lost and is tried again later. */
  get state() {
    return this.#state;
  }

  /** Number of the last event seen; keep it to get what comes after it in a later session. */
  get since() {
    return this.#since;
  }

  /**
   * Connects, if that isn't so already. Calls do it on their own.
   *
   * @returns {Promise<void>} settled when the sign-in is accepted, or refused for good
   */
  connect() {
    if (this.#state === 'open') return Promise.resolve();
    this.#opening ??= Promise.withResolvers();
    const { promise } = this.#opening;
    // Whoever waits hears of it; when nobody does, it is no error of the page's.
    promise.catch(() => {});
    if (this.#state === 'closed') this.#open('connect');
    return promise;
  }

  /** Ends the connection for good; {@link connect} begins anew. */
  close() {
    this.#end(new StewardError('closed', 'The connection was closed.'));
  }

  /**
   * The agents with their accounts and actions.
   *
   * @returns {Promise<{revision: string, agents: any[]}>}
   */
  async list() {
    const { data } = await this.#request({ type: 'list' });
    const actions = data.agents.flatMap((/** @type {any} */ agent) => agent.actions);
    this.#reads = new Set(actions.filter((/** @type {any} */ one) => one.effect === 'read').map((/** @type {any} */ one) => one.name));
    return data;
  }

  /**
   * Runs an action.
   *
   * @param {string} action e.g. `mail.search`
   * @param {Record<string, unknown>} [input]
   * @param {CallOptions} [options]
   * @returns {Promise<CallResult>}
   * @throws {StewardError} `approval_required` carries `details.approvalId` for {@link approve}; `outcome_unknown`: the
   *   connection was lost, and the action may have been done. With an `idempotencyKey`, or for an action that {@link list}
   *   told to be a read, that is `disconnected` instead, and the call may be repeated
   */
  call(action, input = {}, { account, idempotencyKey, signal, onProgress } = {}) {
    return this.#request({ type: 'call', action, input, account, idempotencyKey }, signal, onProgress);
  }

  /**
   * Decides on what an action asked for; approved, it runs with the very arguments that were shown.
   *
   * @param {string} approvalId
   * @param {boolean} [approved]
   * @param {Pick<CallOptions, 'signal' | 'onProgress'>} [options]
   * @returns {Promise<CallResult>}
   */
  approve(approvalId, approved = true, { signal, onProgress } = {}) {
    return this.#request({ type: 'approve', approvalId, approved }, signal, onProgress);
  }

  /**
   * What waits for the user's decision.
   *
   * @returns {Promise<any[]>}
   */
  async approvals() {
    return (await this.#request({ type: 'approvals' })).data.approvals;
  }

  /**
   * @param {Record<string, unknown>} frame
   * @param {AbortSignal} [signal]
   * @param {Waiting['onProgress']} [onProgress]
   */
  async #request(frame, signal, onProgress) {
    signal?.throwIfAborted();
    await abortable(this.connect(), signal);
    const requestId = String(++this.#nextId);
    const text = JSON.stringify({ ...frame, requestId });
    const size = new Blob([text]).size;
    if (this.#maxBytes !== undefined && size > this.#maxBytes) throw tooLarge(this.#maxBytes);
    const { promise, resolve, reject } = Promise.withResolvers();
    const waiting = { sent: false, size, repeatable: this.#isRepeatable(frame), resolve, reject, onProgress };
    this.#waiting.set(requestId, waiting);
    // The answer decides: what was begun may have happened all the same.
    const abort = () => this.#send({ type: 'abort', requestId: String(++this.#nextId), id: requestId });
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
    return type === 'list' || type === 'approvals';
  }

  /** @param {object} frame */
  #send(frame) {
    this.#sendText(JSON.stringify(frame));
  }

  /** @param {string} text @returns whether it has gone out */
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
    this.#refusal = undefined;
    const url = new URL(this.#options.url);
    url.protocol = url.protocol.replace('http', 'ws');
    url.pathname = `${url.pathname.replace(/\/$/, '')}/ws`;
    const socket = new WebSocket(url);
    this.#socket = socket;
    socket.addEventListener('open', () => this.#authenticate(token));
    socket.addEventListener('message', ({ data }) => this.#socket === socket && this.#receive(JSON.parse(String(data))));
    socket.addEventListener('close', ({ code, reason }) => this.#socket === socket && this.#lost(code, reason));
  }

  /** @type {symbol | undefined} an attempt that was overtaken by close() must not go on */
  #current;

  /** @param {'connect' | 'renew' | 'refused'} why */
  async #token(why) {
    try {
      return { token: await this.#options.token(why), failed: false };
    } catch {
      return { token: undefined, failed: true };
    }
  }

  /** Without the number events would be missed, so nothing begins without it. @returns {Promise<boolean>} */
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

  /** The next number will do as well. @param {number} seq */
  async #keep(seq) {
    this.#since = seq;
    try {
      await this.#options.store?.set(seq);
    } catch {}
  }

  /** The token goes in a frame: an address would end in logs. @param {string} token */
  #authenticate(token) {
    this.#send({ type: 'authenticate', requestId: SIGN_IN, token, ...(this.#since !== undefined && { since: this.#since }) });
  }

  /** @param {any} frame */
  #receive(frame) {
    if (frame.type === 'ready') this.#ready(frame);
    else if (frame.type === 'event') this.#dispatch(frame);
    else if (frame.type === 'error' && frame.requestId === SIGN_IN) this.#signInRefused(errorOf(frame));
    const waiting = this.#waiting.get(frame.requestId);
    if (waiting === undefined) return;
    if (frame.type === 'progress') waiting.onProgress?.({ ms: frame.ms, message: frame.message });
    if (frame.type === 'result') waiting.resolve({ data: frame.data, meta: frame.meta });
    if (frame.type === 'error') waiting.reject(errorOf(frame));
  }

  /** @param {{expiresAt: string, seq?: number, maxBytes?: number}} frame */
  #ready({ expiresAt, seq, maxBytes }) {
    this.#failures = 0;
    this.#refused = false;
    this.#refusal = undefined;
    this.#maxBytes = maxBytes;
    if (this.#since === undefined && seq !== undefined) this.#keep(seq);
    this.#become('open');
    this.#opening?.resolve();
    this.#opening = undefined;
    const left = Date.parse(expiresAt) - Date.now();
    // Well before the end, but not at once for tokens that live a minute only.
    this.#renewIn(Math.max(left - RENEW_MS, left / 2, 0));
  }

  /** @param {number} ms */
  #renewIn(ms) {
    clearTimeout(this.#renewal);
    this.#renewal = setTimeout(() => this.#renew(), Math.min(ms, LONGEST_TIMER_MS));
  }

  async #renew() {
    const socket = this.#socket;
    const { token, failed } = await this.#token('renew');
    if (socket === undefined || socket !== this.#socket) return;
    // Until the old one ends, when the service closes, there is time to try again.
    if (failed) this.#renewIn(this.#backOff());
    else if (token) this.#send({ type: 'authenticate', requestId: SIGN_IN, token });
    else this.#end(signedOut());
  }

  /** The service closes after it, unless it could not check the token of a renewal. @param {StewardError} refusal */
  #signInRefused(refusal) {
    this.#refusal = refusal;
    if (this.#state === 'open' && refusal.retryable) this.#renewIn(this.#backOff());
  }

  /** @param {StewardEvent} frame */
  #dispatch({ seq, event, data }) {
    this.#since = seq;
    const detail = { seq, event, data };
    this.dispatchEvent(new CustomEvent('event', { detail }));
    this.dispatchEvent(new CustomEvent(event, { detail }));
    this.#keep(seq);
  }

  /** @param {number} code @param {string} reason */
  #lost(code, reason) {
    this.#socket = undefined;
    clearTimeout(this.#renewal);
    this.#rejectLost(code);
    if (code === AUTHENTICATION && (this.#refused || reason === USER_DELETED)) {
      this.#end(signedOut(this.#refusal?.message || reason));
      return;
    }
    // Not the token's fault: another one would be refused as well.
    if (code === AUTHENTICATION && this.#refusal?.code === 'invalid_request') {
      this.#end(this.#refusal);
      return;
    }
    this.#refused = code === AUTHENTICATION;
    this.#wait(
      this.#refused ? 0 : this.#pause(code, reason),
      this.#refusal ?? new StewardError('disconnected', reason || 'The connection was lost.', { retryable: true }),
    );
  }

  /** Asks for a token and connects, a while later. @param {number} ms @param {StewardError} reason */
  #wait(ms, reason) {
    this.#timer = setTimeout(() => this.#open(this.#refused ? 'refused' : 'connect'), ms);
    this.#become('waiting', reason);
  }

  /** Milliseconds to stay away after a loss. @param {number} code @param {string} reason */
  #pause(code, reason) {
    const asked = retryAfter(reason);
    // Whoever has many sockets has many clients, which must not come back in step.
    return code === TOO_MUCH ? (asked ?? TOO_MUCH_MS) + this.#backOff() : (asked ?? this.#backOff());
  }

  /** Full jitter: thousands of clients that lost one server must not come back in step. */
  #backOff() {
    const longest = Math.min(FIRST_DELAY_MS * 2 ** this.#failures, LONGEST_DELAY_MS);
    this.#failures += 1;
    return Math.random() * longest;
  }

  /** @param {StewardError} reason */
  #end(reason) {
    this.#current = undefined;
    clearTimeout(this.#timer);
    clearTimeout(this.#renewal);
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

  /** What was sent may have been done, whatever became of its answer. @param {number} code */
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
  return new StewardError('disconnected', 'The connection was lost before the answer came.', { retryable: true });
}

function outcomeUnknown() {
  return new StewardError(
    'outcome_unknown',
    'The connection was lost before the answer came, and it may have been done. Look before you repeat it.',
  );
}

/** @param {number} [most] */
function tooLarge(most) {
  return new StewardError('too_large', `The request is larger than ${most ?? 'the service takes'}${most === undefined ? '' : ' bytes'}.`);
}

/** @param {string} [why] */
function signedOut(why) {
  return new StewardError('signed_out', why || 'Nobody is signed in.');
}

/** Milliseconds that the service asks for: `{"retry_after": seconds}`. @param {string} reason */
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
