import { z } from 'zod';

export const positive = z.coerce
  .number('must be a whole number above 0')
  .int('must be a whole number above 0')
  .positive('must be a whole number above 0');
export const whole = z.coerce.number('must be a whole number').int('must be a whole number').min(0, 'must not be negative');

/** The variables of the limits. {@link Limits} has the same names in camel case: LIMIT_BODY_BYTES is `bodyBytes`. */
export const limitVariables = {
  /** Requests per minute from one address, to all routes except the probes. */
  LIMIT_REQUESTS_PER_MINUTE: positive.default(3_000),
  /** Requests per minute of one signed-in user, from all addresses. */
  LIMIT_USER_REQUESTS_PER_MINUTE: positive.optional(),
  /** Requests per minute to routes that send requests to a provider: from one address, and of one user. */
  LIMIT_PROVIDER_REQUESTS_PER_MINUTE: positive.default(600),
  LIMIT_USER_PROVIDER_REQUESTS_PER_MINUTE: positive.default(120),
  /** GET /user/export requests per minute of one user. */
  LIMIT_USER_EXPORTS_PER_MINUTE: positive.default(5),
  /** Requests for live balances per day of one user; the aggregator charges for each. */
  LIMIT_USER_LIVE_BALANCES_PER_DAY: whole.default(10),
  /** Waitlist entries per minute from one address. */
  LIMIT_WAITLIST_PER_MINUTE: positive.default(120),
  /** Registrations of OAuth clients per minute from one address. */
  LIMIT_OAUTH_REGISTRATIONS_PER_MINUTE: positive.default(10),
  /** Documents of OAuth clients that one address can have fetched per minute. */
  LIMIT_OAUTH_DOCUMENTS_PER_MINUTE: positive.default(30),
  /** Requests to `/test` and `/health/…` per minute from one address. */
  LIMIT_PROBES_PER_MINUTE: positive.default(1_200_000),
  /** Largest request body, bytes. */
  LIMIT_BODY_BYTES: positive.default(10_240),
  /** Fields of a URL-encoded body. */
  LIMIT_FORM_FIELDS: positive.default(100),
  /** Request line and headers together, bytes. */
  LIMIT_HEADER_BYTES: positive.default(16_384),
  LIMIT_HEADER_COUNT: positive.default(100),
  /** Request target, bytes; `LIMIT_QUERY_BYTES` is for the part after the question mark. */
  LIMIT_URL_BYTES: positive.default(14_336),
  LIMIT_QUERY_BYTES: positive.default(12_288),
  /** Open connections of this process, including WebSockets. */
  LIMIT_CONNECTIONS: positive.default(20_000),
  /** For receiving a request's headers, milliseconds. */
  LIMIT_HEADERS_TIMEOUT_MS: positive.default(10_000),
  /** For receiving a whole request, milliseconds. */
  LIMIT_REQUEST_TIMEOUT_MS: positive.default(30_000),
  /** For a client to receive a response that is ready, milliseconds. */
  LIMIT_ANSWER_TIMEOUT_MS: positive.default(60_000),
  /** Time an idle connection is kept open, milliseconds. */
  LIMIT_KEEP_ALIVE_MS: positive.default(65_000),
  /** For a provider's response to one step, milliseconds. */
  LIMIT_PROVIDER_TIMEOUT_MS: positive.max(10_000).default(10_000),
  /** For the workspace provider's response to a token refresh, milliseconds. */
  LIMIT_REFRESH_TIMEOUT_MS: positive.max(60_000).default(60_000),
  /** Pause before the first retry of a revocation, seconds; doubles up to six hours. */
  LIMIT_REVOCATION_RETRY_SECONDS: positive.max(21_600).default(60),
  LIMIT_DATABASE_CONNECTIONS: positive.default(10),
  /**
   * How long requests may take on average while the event loop has no idle time, and may wait for a database connection,
   * before requests are refused, milliseconds.
   */
  LIMIT_BUSY_LATENCY_MS: positive.default(100),
  LIMIT_DATABASE_QUEUE_MS: positive.default(150),
  /** For a WebSocket to authenticate, milliseconds. */
  LIMIT_SOCKET_AUTHENTICATION_MS: positive.default(5_000),
  /** Largest message of an authenticated WebSocket, and body of a call over HTTP, bytes; a larger one is rejected with `too_large`. */
  LIMIT_SOCKET_PAYLOAD_BYTES: positive.default(8_388_608),
  /** Bytes that a WebSocket may send in total before it is authenticated. */
  LIMIT_SOCKET_OPENING_BYTES: positive.default(65_536),
  /** Bytes per minute that all WebSockets of one user may send; as many again may be sent as JSON over HTTP. */
  LIMIT_SOCKET_BYTES_PER_MINUTE: positive.default(33_554_432),
  /** Upgrades per minute from one address. */
  LIMIT_SOCKET_CONNECTS_PER_MINUTE: positive.default(3_000),
  /** Messages per minute of one WebSocket. All WebSockets of a user together: this times `LIMIT_SOCKETS_PER_USER`. */
  LIMIT_SOCKET_MESSAGES_PER_MINUTE: positive.default(100),
  LIMIT_SOCKETS_PER_USER: positive.default(10),
  /** WebSockets of this process that are not yet authenticated. */
  LIMIT_SOCKETS_WAITING: positive.default(1_000),
  /** Bytes buffered for a slow client before the service stops reading from it. */
  LIMIT_SOCKET_BUFFER_BYTES: positive.default(1_048_576),
  /** Time such a client may receive nothing before it is disconnected, milliseconds. */
  LIMIT_SOCKET_STALL_MS: positive.default(15_000),
  /** Interval of pings, milliseconds; a client that misses two is disconnected. */
  LIMIT_SOCKET_PING_MS: positive.default(30_000),
  /** Concurrent requests of one WebSocket. */
  LIMIT_SOCKET_CALLS: positive.default(10),
  /** Requests per minute of one MCP client, and its requests under way, open subscriptions included. */
  LIMIT_MCP_REQUESTS_PER_MINUTE: positive.default(300),
  LIMIT_MCP_CALLS: positive.default(16),
  /** For one response to an MCP client, milliseconds: a subscription ends then, and its client signs in again for the next. */
  LIMIT_MCP_STREAM_MS: positive.default(900_000),
  /**
   * Definitions of tools that a model gets at once, bytes of JSON, and their number: of longer lists, those of sources are
   * left out, and found with a search.
   */
  LIMIT_TOOL_LIST_BYTES: positive.default(30_000),
  LIMIT_TOOL_LIST_TOOLS: positive.default(60),
  /** Steps of one run of the assistant: calls of the model, each with the tools that it uses. */
  LIMIT_RUN_STEPS: positive.default(12),
  /** For one run, milliseconds. */
  LIMIT_RUN_MS: positive.default(120_000),
  /** Calls of tools that a model may make in one step. */
  LIMIT_RUN_STEP_CALLS: positive.default(32),
  /** What a model may write in one run, and a run in total with the results of its tools, bytes. */
  LIMIT_RUN_OUTPUT_BYTES: positive.default(524_288),
  LIMIT_RUN_BYTES: positive.default(3_500_000),
  /** Time after which a run whose process has ended counts as interrupted, milliseconds. */
  LIMIT_RUN_LEASE_MS: positive.default(30_000),
  /** Runs of one user at a time, in different threads. */
  LIMIT_RUNS_PER_USER: positive.default(2),
  /** Runs of automations of this process at a time. */
  LIMIT_AUTOMATION_RUNS: positive.default(10),
  /** For the user to decide on what a run of an automation asks, milliseconds; at most 30 days. */
  LIMIT_PARKED_APPROVAL_MS: positive.max(2_592_000_000).default(259_200_000),
  /** Largest message to the assistant, bytes. */
  LIMIT_CHAT_MESSAGE_BYTES: positive.default(65_536),
  /** For running WebSocket requests, and runs of the assistant, to finish during a shutdown, milliseconds. */
  LIMIT_SOCKET_DRAIN_MS: positive.default(10_000),
  /** Time between becoming unready and closing the listener, for a load balancer to notice, milliseconds. */
  LIMIT_STOP_WAIT_MS: whole.optional(),
  /** For the whole shutdown, milliseconds. */
  LIMIT_STOP_MS: positive.default(85_000),
};

type LimitVariables = z.infer<z.ZodObject<typeof limitVariables>>;
type CamelCase<Name extends string> = Name extends `${infer Word}_${infer Rest}`
  ? `${Lowercase<Word>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>;
type Given = { [Name in keyof LimitVariables as Name extends `LIMIT_${infer Rest}` ? CamelCase<Rest> : never]: LimitVariables[Name] };

export type Limits = Record<keyof Given, number>;

/** In production, a load balancer must notice first; it checks every few seconds. */
const STOP_WAIT_MS = { development: 0, production: 5_000 };

/** The limits, with the defaults that depend on other variables. */
export function limitsOf(env: LimitVariables & { NODE_ENV: keyof typeof STOP_WAIT_MS }): Limits {
  const limits = Object.entries(env).filter(([name]) => name.startsWith('LIMIT_'));
  const given = Object.fromEntries(limits.map(([name, value]) => [camelCase(name.slice('LIMIT_'.length)), value])) as Given;
  return {
    ...given,
    userRequestsPerMinute: given.userRequestsPerMinute ?? given.requestsPerMinute,
    stopWaitMs: given.stopWaitMs ?? STOP_WAIT_MS[env.NODE_ENV],
  };
}

/** The variable of a limit: `bodyBytes` → `LIMIT_BODY_BYTES`. */
export function limitVariable(name: string): string {
  return `LIMIT_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

function camelCase(name: string): string {
  return name.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
