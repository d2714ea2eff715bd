import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../clock/clock.ts';
import { AppError } from '../errors.ts';
import type { Counter, RequestTrack, RunCause, Step, Telemetry } from '../observability/telemetry.ts';
import type { Tracer } from '../tracing/tracer.ts';
import type { Recorder } from './recorder.ts';

/** All requests without an endpoint: their paths are arbitrary, so they must not become labels. */
const NO_ROUTE = 'none';

/** Reports to the recorder and the tracer, if they are enabled. */
export class Measured implements Telemetry {
  readonly #clock: Clock;
  readonly #recorder: Recorder | undefined;
  readonly #tracer: Tracer | undefined;
  readonly statement: Telemetry['statement'];

  constructor(clock: Clock, recorder: Recorder | undefined, tracer: Tracer | undefined) {
    this.#clock = clock;
    this.#recorder = recorder;
    this.#tracer = tracer;
    if (tracer !== undefined) this.statement = (sql, work) => tracer.statement(sql, work);
  }

  async step<Result>(step: Step, work: () => Promise<Result>, outcomeOf?: (result: Result) => string): Promise<Result> {
    const startedAt = this.#clock.monotonic();
    const span = this.#tracer?.step(step);
    let outcome = 'internal';
    try {
      const result = await (span === undefined ? work() : span.withContext(work));
      outcome = outcomeOf?.(result) ?? 'ok';
      return result;
    } catch (error) {
      if (error instanceof AppError) outcome = error.code;
      throw error;
    } finally {
      this.#recorder?.step(step, outcome, (this.#clock.monotonic() - startedAt) / 1000);
      span?.end(outcome);
    }
  }

  count(counter: Counter, label: string): void {
    this.#recorder?.count(counter, label);
  }

  runBegan(cause: RunCause, seconds: number): void {
    this.#recorder?.runBegan(cause, seconds);
  }

  request(method: string, headers: IncomingHttpHeaders): RequestTrack {
    const startedAt = this.#clock.monotonic();
    const span = this.#tracer?.request(method, headers);
    return {
      withContext: (work) => (span === undefined ? work() : span.withContext(work)),
      end: (route, status) => {
        this.#recorder?.request(method, route ?? NO_ROUTE, status, (this.#clock.monotonic() - startedAt) / 1000);
        span?.end(route, status);
      },
    };
  }
}
