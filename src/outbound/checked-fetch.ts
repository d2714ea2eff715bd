import { lookup } from 'node:dns/promises';
import { addAbortListener } from 'node:events';
import { isIP, type LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import type { Agent, Dispatcher } from 'undici';
import { type Clock, timeoutSignal } from '../clock/clock.ts';
import { loadOnce } from '../concurrency/load-once.ts';
import type { InternalHosts } from '../config/config.ts';
import { AppError } from '../errors.ts';
import { checkedLookup, type Resolve, resolveAll } from './look-up.ts';
import { assertReachable, isListed } from './public-addresses.ts';

export interface OutboundOptions {
  clock: Clock;
  /** Hosts that may be private and spoken to by plain http. */
  internal: InternalHosts;
  /** Looks up host names; in tests another. */
  resolve?: Resolve;
}

export interface OutboundRequest {
  method?: string | undefined;
  headers?: Iterable<readonly [string, string]> | undefined;
  body?: string | Uint8Array | undefined;
  /** Ends the request and the reading of its response. */
  signal?: AbortSignal | undefined;
  /** For the whole exchange, also the response's body, milliseconds. */
  timeoutMs: number;
  /** The most that is read of the response's body. */
  maxBytes: number;
  /** Receives the error that ends the reading of the body, for readers that make another one of it. */
  onCut?: (error: unknown) => void;
}

/** As of fetch. */
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Responses that have no body (Fetch, "null body status"). */
const EMPTY = new Set([204, 205, 304]);
/** Error codes of the system and of the client before anything is sent. */
const UNSENT = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_INVALID_ARG'],
]);
const LOOK_UP_MS = 5_000;
const CONNECT_MS = 10_000;

/**
 * Requests to hosts that users, operators or other servers name. Each connection is made to an address that was checked, https
 * is required of hosts that the operator hasn't listed, redirects are not followed, and responses are bounded. Settings of the
 * environment for proxies have no effect: a proxy would look up names by itself.
 */
export class Outbound {
  readonly #options: OutboundOptions;
  readonly #open: () => Promise<Agent>;

  constructor(options: OutboundOptions) {
    this.#options = options;
    this.#open = loadOnce(() => openAgent(options));
  }

  /**
   * Whether an address that another server names may be used, as far as can be told without a look-up.
   *
   * @throws AppError `forbidden`
   */
  check(url: URL): void {
    const { internal } = this.#options;
    const hostname = bare(url.hostname);
    if (url.username !== '' || url.password !== '') throw new AppError('forbidden', 'An address must not contain a name or a password.');
    const isPlain = url.protocol === 'http:' && isListed(internal, hostname);
    if (url.protocol !== 'https:' && !isPlain) throw new AppError('forbidden', `${hostname} has to be reached by https.`);
    if (isIP(hostname) !== 0) assertReachable(hostname, hostname, internal);
  }

  /**
   * @returns the response, whose body ends with an error at the limits
   * @throws AppError `forbidden`, `provider_timeout`, `provider_error`; the signal's reason
   */
  async fetch(address: string | URL, request: OutboundRequest): Promise<Response> {
    const url = new URL(address);
    // A name whose addresses are in a listed range is judged where the connection is made.
    const mayBeListed = url.protocol === 'http:' && isIP(bare(url.hostname)) === 0 && this.#options.internal.ranges.length > 0;
    this.check(mayBeListed ? new URL(url.href.replace('http:', 'https:')) : url);
    const { signal } = request;
    signal?.throwIfAborted();
    const ending = new AbortController();
    const late = () => ending.abort(new AppError('provider_timeout', `${url.hostname} did not respond in time.`));
    const timer = this.#options.clock.after(request.timeoutMs, late).unref();
    const listening = signal && addAbortListener(signal, () => ending.abort(signal.reason));
    const stop = () => {
      timer.cancel();
      listening?.[Symbol.dispose]();
    };
    try {
      const response = await this.#send(url, request, ending.signal);
      const body = EMPTY.has(response.statusCode) ? null : bounded(url, response.body, request, ending.signal, stop);
      if (body === null) stop();
      return new Response(body, { status: response.statusCode, headers: headersOf(response) });
    } catch (error) {
      stop();
      throw failureOf(url, error, ending.signal);
    }
  }

  /** Closes connections that are kept open. */
  async close(): Promise<void> {
    await (await this.#open()).destroy();
  }

  async #send(url: URL, { method = 'GET', headers, body }: OutboundRequest, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const agent = await this.#open();
    const response = await agent.request({
      method: method as Dispatcher.HttpMethod,
      origin: url.origin,
      path: url.pathname + url.search,
      headers: { ...Object.fromEntries(headers ?? []), 'accept-encoding': 'identity' },
      body: body ?? null,
      signal,
    });
    // What is left of the body when it is not read ends its connection; an error of it is then ignored.
    response.body.on('error', () => {});
    const fault = faultOf(url, response);
    if (fault === undefined) return response;
    response.body.destroy();
    throw fault;
  }
}

async function openAgent({ clock, internal, resolve = resolveAll }: OutboundOptions): Promise<Agent> {
  const { Agent, buildConnector } = await import('undici');
  const look = (hostname: string) => {
    // The operator's own names may be known to this machine only.
    return internal.names.has(hostname) ? lookup(hostname, { all: true }) : resolve(hostname, timeoutSignal(clock, LOOK_UP_MS));
  };
  const connectorOf = (isListedRequired: boolean) => {
    const checked: LookupFunction = checkedLookup(look, (address, hostname) => {
      assertReachable(address, hostname, internal);
      if (isListedRequired && !isListed(internal, hostname) && !isListed(internal, address)) {
        throw new AppError('forbidden', `${hostname} has to be reached by https.`);
      }
    });
    return buildConnector({ lookup: checked, timeout: CONNECT_MS });
  };
  const [secure, plain] = [connectorOf(false), connectorOf(true)];
  return new Agent({
    connect: (options, callback) => (options.protocol === 'https:' ? secure : plain)(options, callback),
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

/** What makes a response unusable, whatever it contains. */
function faultOf(url: URL, { statusCode, headers }: Dispatcher.ResponseData): AppError | undefined {
  if (REDIRECTS.has(statusCode)) return redirected(url, headers.location);
  // None was accepted: a few bytes of a compressed body may be many.
  const coding = [headers['content-encoding'] ?? 'identity'].flat().join(',').trim().toLowerCase();
  if (coding !== 'identity' && coding !== '') return fault(`${url.hostname} sent a compressed response that was not asked for.`);
  if (statusCode < 200 || statusCode > 599) return fault(`${url.hostname} sent an invalid response.`);
  return undefined;
}

/** Names the final address, which the operator or the user may have to enter; without its query, which may be secret. */
function redirected(url: URL, location: string | string[] | undefined): AppError {
  const to = typeof location === 'string' ? URL.parse(location, url.href) : null;
  const named = to === null || to.host === '' ? 'another address' : `${to.origin}${to.pathname}`.slice(0, 200);
  return fault(`${url.hostname} redirects to ${named}. Redirects are not followed: use that address itself.`);
}

/** The body up to the limits. @param ended is called once, when nothing more is read */
function bounded(
  url: URL,
  body: Readable,
  { maxBytes, onCut }: OutboundRequest,
  signal: AbortSignal,
  ended: () => void,
): ReadableStream<Uint8Array> {
  const chunks = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  let size = 0;
  const end = () => {
    ended();
    body.destroy();
  };
  return new ReadableStream({
    async pull(controller) {
      try {
        const { value, done } = await chunks.next();
        size += value?.byteLength ?? 0;
        if (size > maxBytes) throw new AppError('too_large', `The response has more than ${maxBytes} bytes.`);
        if (!done) return controller.enqueue(value);
        end();
        controller.close();
      } catch (error) {
        end();
        const failure = failureOf(url, error, signal);
        onCut?.(failure);
        controller.error(failure);
      }
    },
    cancel: end,
  });
}

function headersOf({ headers }: Dispatcher.ResponseData): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().map((one): [string, string] => [name, one]));
}

/** The cause of an error of {@link Outbound.fetch}: the host could not be reached, or its connection ended. */
export class OutboundFailure extends Error {
  /** Nothing of the request was sent. */
  readonly isUnsent: boolean;

  /** @param code of the system or of the client */
  constructor(code: string) {
    super(`request failed: ${code}`);
    this.isUnsent = UNSENT.has(code);
  }
}

/** @returns an error without anything of request or response but the host's name */
function failureOf(url: URL, error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof AppError) return error;
  return fault(`${url.hostname} can’t be reached.`, new OutboundFailure(codeOf(error)));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

function fault(message: string, cause?: Error): AppError {
  return new AppError('provider_error', message, { cause });
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}
