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
export type StewardClientOptions = {
    /**
     * Address of the service; `/ws` is appended.
     */
    url: string | URL;
    /**
     * Returns a valid ID token or personal access token. `refused`: the last one was rejected, so fetch a new one. Returning nothing closes the
     * connection, because no user is signed in. After an error (for example offline), it is called again later.
     */
    token?: (why: 'connect' | 'renew' | 'refused') => string | undefined | Promise<string | undefined>;
    /**
     * In place of `token`, for a page of the service's own origin, whose browser is signed in there: returns the `csrf_token`
     * of `GET /auth/session`, called again when `token` would be. Returning nothing says that nobody is signed in.
     */
    session?: (why: 'connect' | 'renew' | 'refused') => string | undefined | Promise<string | undefined>;
    /**
     * The last event of an earlier session; later events are sent again.
     */
    since?: number;
    /**
     * Stores that number, so that no event is missed between sessions.
     */
    store?: StewardStore;
    /**
     * For tests that don't wait: replaces the clock of this machine.
     */
    clock?: StewardClock;
};
export type StewardClock = {
    /**
     * Milliseconds since 1970.
     */
    now: () => number;
    /**
     * Calls back once, unless it is cancelled before.
     */
    after: (ms: number, callback: () => void) => {
        cancel: () => unknown;
    };
};
export type StewardStore = {
    /**
     * The number set last, if any.
     */
    get: () => number | string | null | undefined | Promise<number | string | null | undefined>;
    /**
     * Called after the listeners of each event.
     */
    set: (seq: number) => unknown;
};
export type StewardEvent = {
    /**
     * Increases by one for each event of the user.
     */
    seq: number;
    /**
     * When it was recorded, by the service’s clock: ISO 8601.
     */
    at: string;
    /**
     * `account.status`, `approval.requested`, `integrations.updated`, …
     */
    event: string;
    data: Record<string, unknown>;
};
export type CallOptions = {
    /**
     * Id or label of the account; default: the default account.
     */
    account?: string;
    /**
     * A change with this key runs once, however often it is sent.
     */
    idempotencyKey?: string;
    /**
     * Stops waiting, and aborts the call if it changes nothing.
     */
    signal?: AbortSignal;
    onProgress?: (progress: {
        ms: number;
        message?: string;
    }) => void;
};
export type ChatChunk = {
    type: string;
    messageId?: string;
    messageMetadata?: any;
} & Record<string, any>;
export type ChatReading = {
    /**
     * Called for each part of the answer as it is made.
     */
    onChunk?: (chunk: ChatChunk) => void;
    /**
     * Stops the answer for everyone who reads it, as {@link StewardClient#stopChat} does.
     */
    signal?: AbortSignal;
};
export type Waiting = {
    sent: boolean;
    size: number;
    /**
     * Sending it again is safe.
     */
    repeatable: boolean;
    resolve: (value: any) => void;
    reject: (error: Error) => void;
    onProgress: ((progress: {
        ms: number;
        message?: string;
    }) => void) | undefined;
    onChunk: ((chunk: ChatChunk) => void) | undefined;
    /**
     * Of an answer that is read.
     */
    thread: string | undefined;
};
export type Actions = import('./types.js').Actions;
export type CallMeta = import('./types.js').CallMeta;
export type InputOf<Name extends string> = Name extends keyof Actions ? Actions[Name]['input'] : Record<string, unknown>;
export type OutputOf<Name extends string> = Name extends keyof Actions ? Actions[Name]['output'] : unknown;
export type CallResult<Data = unknown> = {
    data: Data;
    meta: CallMeta;
};
/** An error response of the service, or of the connection. */
export declare class StewardError extends Error {
    /** Error code: `reauth_required`, `approval_required`, `disconnected`, `outcome_unknown`, … */
    code: string;
    /** Whether the same call may succeed later and repeating it is safe. */
    retryable: boolean;
    /** Further fields of the error: `approvalId`, `choices`, `retryAfter` (seconds), … */
    details: Record<string, any>;
    /** @param {string} code @param {string} message @param {Record<string, any>} [details] */
    constructor(code: string, message: string, details?: Record<string, any>);
}
/**
 * Dispatches `state` (a change of {@link StewardClient#state}; `detail.reason` is the error, if there was one), `event` for
 * every event of the user, and each event under its own name, too (`detail` is a {@link StewardEvent}).
 */
export declare class StewardClient extends EventTarget {
    #private;
    /** @param {StewardClientOptions} options */
    constructor(options: StewardClientOptions);
    /** `closed`: no user is signed in; `waiting`: the connection was lost and will be retried. */
    get state(): "closed" | "connecting" | "open" | "waiting";
    /** Number of the last event; store it to receive later events in another session. */
    get since(): number | undefined;
    /**
     * Connects, unless it is connected. Calls do so automatically.
     *
     * @returns {Promise<void>} settles when the sign-in is accepted or finally rejected
     */
    connect(): Promise<void>;
    /** Closes the connection; {@link connect} opens it again. */
    close(): void;
    /**
     * The agents with their accounts and actions.
     *
     * @returns {Promise<import('./types.js').ListResultFrame['data']>}
     */
    list(): Promise<import('./types.js').ListResultFrame['data']>;
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
    call<Name extends string>(action: Name | keyof Actions, input?: InputOf<Name>, { account, idempotencyKey, signal, onProgress }?: CallOptions): Promise<CallResult<OutputOf<Name>>>;
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
    approve(approvalId: string, approved?: boolean, { signal, onProgress, input, rememberFor }?: Pick<CallOptions, 'signal' | 'onProgress'> & {
        input?: object;
        rememberFor?: number;
    }): Promise<CallResult>;
    /**
     * How an approval ended, and for an hour what its call returned; only for the user, or the token, that made the call.
     *
     * @param {string} approvalId
     * @returns {Promise<import('./types.js').ApprovalOutcome>}
     */
    approvalResult(approvalId: string): Promise<import('./types.js').ApprovalOutcome>;
    /**
     * Pending approval requests.
     *
     * @returns {Promise<import('./types.js').Approval[]>}
     */
    approvals(): Promise<import('./types.js').Approval[]>;
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
    chat({ threadId, text, model, messageId }: {
        threadId: string;
        text: string;
        model?: string;
        messageId?: string;
    }, reading?: ChatReading): Promise<void>;
    /**
     * Lets the assistant go on with its last message, after the approvals that it asked for were decided. The service looks
     * up how they ended.
     *
     * @param {{threadId: string, messageId: string, model?: string}} message the assistant's
     * @param {ChatReading} [reading]
     * @returns {Promise<void>} when the answer has ended
     * @throws {StewardError} `approval_required` while an approval is undecided
     */
    continueChat({ threadId, messageId, model }: {
        threadId: string;
        messageId: string;
        model?: string;
    }, reading?: ChatReading): Promise<void>;
    /**
     * Reads the answer that a thread has under way, from its first chunk on.
     *
     * @param {string} threadId
     * @param {ChatReading} [reading]
     * @returns {Promise<boolean>} false: there is none
     */
    resumeChat(threadId: string, { onChunk, signal }?: ChatReading): Promise<boolean>;
    /**
     * Stops the answer of a thread that is read here. What it has said and done remains.
     *
     * @param {string} threadId
     * @returns {boolean} whether one was read here
     */
    stopChat(threadId: string): boolean;
}

type Detail<Frame extends { seq: number; at: string; event: string; data: object }> = CustomEvent<Pick<Frame, 'seq' | 'at' | 'event' | 'data'>>;
type StewardListeners = { [Name in keyof import('./types.js').Events]: Detail<import('./types.js').Events[Name]> } & {
  /** Every event of the user. */
  event: Detail<import('./types.js').EventFrame>;
  state: CustomEvent<{ state: 'closed' | 'connecting' | 'open' | 'waiting'; reason?: StewardError }>;
};

export interface StewardClient {
  addEventListener<Name extends keyof StewardListeners>(
    type: Name,
    listener: (this: StewardClient, event: StewardListeners[Name]) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject | null, options?: boolean | AddEventListenerOptions): void;
  removeEventListener<Name extends keyof StewardListeners>(
    type: Name,
    listener: (this: StewardClient, event: StewardListeners[Name]) => void,
    options?: boolean | EventListenerOptions,
  ): void;
  removeEventListener(type: string, listener: EventListenerOrEventListenerObject | null, options?: boolean | EventListenerOptions): void;
}
