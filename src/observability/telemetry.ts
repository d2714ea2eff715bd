import type { IncomingHttpHeaders } from 'node:http';

/**
 * Measurements of the features, which become metrics, traces or nothing, as configured.
 *
 * Names and outcomes come from closed lists. They never contain an id, an address or any input of a client.
 */
export interface Telemetry {
  /** Measures some work. Its outcome is that of `outcomeOf`, `ok` by default, or the code of the error that it throws. */
  step<Result>(step: Step, work: () => Promise<Result>, outcomeOf?: (result: Result) => string): Promise<Result>;
  /** Increments a counter. */
  count(counter: Counter, label: string): void;
  /** A run of an automation has begun. @param cause what started it. @param seconds after its planned time, by the service's clock */
  runBegan(cause: RunCause, seconds: number): void;
  /** Begins to measure an HTTP request; undefined: requests are not measured. */
  request(method: string, headers: IncomingHttpHeaders): RequestTrack | undefined;
  /** Runs one database statement; unset: statements are not measured. `sql` is its name or text, without values. */
  readonly statement?: MeasureStatement | undefined;
}

export type MeasureStatement = <Result>(sql: string, work: () => Promise<Result>) => Promise<Result>;

export interface Step {
  kind: 'call' | 'refresh' | 'provider' | 'job' | 'notification';
  /** The action, the provider, the queue, or the type of channel. */
  name: string;
  /** Of the provider `mcp`: the source, by its name in the integrations file. */
  source?: string;
  /** More specific; only for traces. */
  operation?: string;
}

/**
 * - `error`: error responses, by code
 * - `approval`: requested, approved, denied
 * - `revocation`: confirmed, failed, dropped, unconfirmed
 * - `webhook`: result of a delivery
 * - `reload`: of the integrations: ok, invalid
 * - `refusal`: what a saturated process did not take on: event_loop, database
 * - `socketEnd`: by close code; `socketRefusal`: rejected upgrades, by code
 */
export type Counter = 'error' | 'approval' | 'revocation' | 'webhook' | 'reload' | 'refusal' | 'socketEnd' | 'socketRefusal';

/** What starts runs of automations. */
export type RunCause = 'schedule' | 'event' | 'user';

export interface RequestTrack {
  /** Runs the work of the request. */
  withContext<Result>(work: () => Result): Result;
  /** @param route the endpoint's pattern, if any. @param status 0: the client disconnected before the response */
  end(route: string | undefined, status: number): void;
}

/** Measures nothing. */
export const UNMEASURED: Telemetry = {
  step: (_step, work) => work(),
  count() {},
  runBegan() {},
  request: () => undefined,
};
