import type { IncomingHttpHeaders } from 'node:http';

/**
 * What is measured as it happens. Features name what they did with these words; what becomes of it (metrics, traces,
 * nothing) is decided by whoever starts the process.
 *
 * Names and outcomes come from closed lists: never an id, an address or anything a client wrote.
 */
export interface Telemetry {
  /** Times one piece of work. It ends as `outcomeOf` says, `ok` without it, or with the code of the error that it throws. */
  step<Result>(step: Step, work: () => Promise<Result>, outcomeOf?: (result: Result) => string): Promise<Result>;
  /** One more of something. */
  count(counter: Counter, label: string): void;
  /** A request of HTTP that begins; undefined: nobody wants to know. */
  request(method: string, headers: IncomingHttpHeaders): RequestTrack | undefined;
  /** Runs one database statement; unset where nobody wants to know. `sql` is the statement's name or text, without values. */
  readonly statement?: MeasureStatement | undefined;
}

export type MeasureStatement = <Result>(sql: string, work: () => Promise<Result>) => Promise<Result>;

export interface Step {
  kind: 'call' | 'refresh' | 'provider' | 'job';
  /** The action, the provider or the queue. */
  name: string;
  /** What of it, for traces alone. */
  operation?: string;
}

/**
 * - `error`: answers in the error form, by code
 * - `approval`: requested, approved, denied
 * - `revocation`: confirmed, failed, dropped, unconfirmed
 * - `webhook`: how a delivery ended
 * - `reload`: of the integrations: ok, invalid
 * - `socketEnd`: by close code; `socketRefusal`: of an upgrade, by code
 */
export type Counter = 'error' | 'approval' | 'revocation' | 'webhook' | 'reload' | 'socketEnd' | 'socketRefusal';

export interface RequestTrack {
  /** Runs what belongs to the request. */
  withContext<Result>(work: () => Result): Result;
  /** @param route the endpoint's pattern; undefined where none took it. @param status 0: the client went before its answer */
  end(route: string | undefined, status: number): void;
}

/** Nothing is measured. */
export const UNMEASURED: Telemetry = {
  step: (_step, work) => work(),
  count() {},
  request: () => undefined,
};
