import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Clock, systemClock, type Timer } from '../src/clock/clock.ts';
import { faultResponse } from './api-fault.ts';

/** Middleware with Node's types, which Express accepts. */
export type Middleware = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

/** What faults are injected into. */
export const SANDBOX_PARTS = ['identity', 'workspace', 'bank', 'model', 'tickets', 'smtp', 'push', 'webhooks'] as const;
export type SandboxPart = (typeof SANDBOX_PARTS)[number];

/** A fault in place of (for `delay`, before) the response to calls. */
export interface Fault {
  part: SandboxPart;
  /** Path below the part's root, e.g. `/token`, with its subpaths; absent: every path. */
  path?: string | undefined;
  kind: 'delay' | 'hang' | 'status' | 'malformed' | 'html';
  /** How long `delay` waits, milliseconds. */
  ms?: number | undefined;
  /** HTTP status of `status` (default 503), `malformed` and `html` (default 200). */
  status?: number | undefined;
  /** The `error` field in the response of `status`, e.g. `invalid_client`. */
  error?: string | undefined;
  /** Seconds of the Retry-After header of a 429 (default 1). */
  retryAfter?: number | undefined;
  /** Number of calls that fail; absent: every call until faults are cleared. */
  times?: number | undefined;
}

const DEFAULT_DELAY_MS = 1_000;
const MAINTENANCE_PAGE = '<!doctype html><title>Maintenance</title><p>We will be back soon.</p>';
/** Limits the counters, because paths come from outside. */
const MAX_COUNTED_NAMES = 500;

/** The sandbox's clock, faults and call counters, which tests control. They do not survive a restart. */
export class Controls {
  #offset = 0;
  #faults: Fault[] = [];
  readonly #quotas = new Map<string, number>();
  readonly #calls = new Map(SANDBOX_PARTS.map((part) => [part, new Map<string, number>()]));
  readonly #timers = new Set<Timer>();
  readonly #hanging = new Set<Socket>();
  /** What the sandbox's own time is counted from. */
  readonly clock: Clock;
  readonly #moveClock: ((milliseconds: number) => void) | undefined;

  /** @param moveClock moves that clock, which is the service's, too */
  constructor(clock: Clock = systemClock, moveClock?: (milliseconds: number) => void) {
    this.clock = clock;
    this.#moveClock = moveClock;
  }

  /** The sandbox's time, milliseconds since 1970. */
  now(): number {
    return this.clock.now() + this.#offset;
  }

  /** Moves the sandbox's clock by `ms`, which may be negative, away from the service's. */
  advance(ms: number): void {
    this.#offset += ms;
  }

  /** Moves the clock of the service and the sandbox; where it can't be moved, the sandbox's. */
  advanceBoth(ms: number): void {
    if (this.#moveClock === undefined) this.advance(ms);
    else this.#moveClock(ms);
  }

  /** The quota of an API, per minute and account, if a test has set it. */
  quota(api: string): number | undefined {
    return this.#quotas.get(api);
  }

  setQuota(api: string, unitsPerMinute: number): void {
    this.#quotas.set(api, unitsPerMinute);
  }

  inject(fault: Fault): void {
    this.#faults.push({ ...fault });
  }

  /** Ends every fault; hanging calls are ended. */
  clearFaults(): void {
    this.#faults = [];
    for (const socket of this.#hanging) socket.destroy();
  }

  /** Increments the counter of `name`, beside the paths that {@link intercept} counts. */
  count(part: SandboxPart, name: string): void {
    const calls = this.#callsOf(part);
    if (!calls.has(name) && calls.size >= MAX_COUNTED_NAMES) return;
    calls.set(name, (calls.get(name) ?? 0) + 1);
  }

  /** Calls so far by name or path. */
  calls(part: SandboxPart): Record<string, number> {
    return Object.fromEntries(this.#callsOf(part));
  }

  /** Middleware at the start of a part's router: counts the call, then applies the first matching fault. */
  intercept(part: SandboxPart): Middleware {
    return (request, response, next) => {
      const path = request.url?.split('?', 1)[0] ?? '/';
      const fault = this.take(part, path);
      if (fault === undefined) next();
      else this.#apply(fault, path, request.socket, response, next);
    };
  }

  /** Clears all timers and hanging connections. */
  close(): void {
    this.clearFaults();
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }

  /** Counts a call. @returns the first fault that matches it */
  take(part: SandboxPart, path: string): Fault | undefined {
    this.count(part, path);
    const fault = this.#faults.find((candidate) => candidate.part === part && covers(candidate.path, path));
    if (fault?.times === undefined) return fault;
    fault.times -= 1;
    if (fault.times <= 0) this.#faults = this.#faults.filter((candidate) => candidate !== fault);
    return fault;
  }

  #callsOf(part: SandboxPart): Map<string, number> {
    return this.#calls.get(part) ?? new Map();
  }

  #apply(fault: Fault, path: string, socket: Socket, response: ServerResponse, next: () => void): void {
    switch (fault.kind) {
      case 'delay':
        this.#delay(fault.ms ?? DEFAULT_DELAY_MS, response, next);
        return;
      case 'hang':
        this.#hang(socket);
        return;
      case 'status':
        respondWithStatus(fault, path, response);
        return;
      case 'malformed':
        respond(response, fault.status ?? 200, 'application/json', '{"access_token":"tru');
        return;
      case 'html':
        respond(response, fault.status ?? 200, 'text/html', MAINTENANCE_PAGE);
    }
  }

  #delay(ms: number, response: ServerResponse, next: () => void): void {
    const timer = this.clock.after(ms, () => {
      this.#timers.delete(timer);
      next();
    });
    this.#timers.add(timer);
    response.on('close', () => {
      timer.cancel();
      this.#timers.delete(timer);
    });
  }

  #hang(socket: Socket): void {
    this.#hanging.add(socket);
    socket.once('close', () => this.#hanging.delete(socket));
  }
}

function covers(prefix: string | undefined, path: string): boolean {
  return prefix === undefined || path === prefix || path.startsWith(`${prefix}/`);
}

function respondWithStatus(fault: Fault, path: string, response: ServerResponse): void {
  const status = fault.status ?? 503;
  if (status === 429) response.setHeader('Retry-After', String(fault.retryAfter ?? 1));
  const description = 'A fault injected by the sandbox.';
  // The APIs have another error format.
  const body = path.startsWith('/api/')
    ? faultResponse(path.slice('/api'.length), { status, reason: fault.error ?? 'backendError', message: description }).body
    : { error: fault.error ?? 'temporarily_unavailable', error_description: description };
  respond(response, status, 'application/json', JSON.stringify(body));
}

function respond(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'Content-Type': `${type}; charset=utf-8` }).end(body);
}
