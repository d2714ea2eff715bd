import type { IncomingHttpHeaders } from 'node:http';
import {
  type Attributes,
  type Context,
  defaultTextMapGetter,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapPropagator,
  trace,
} from '@opentelemetry/api';
import { currentSpan, withContext } from '../observability/log-context.ts';
import type { RequestTrack, Step } from '../observability/telemetry.ts';

/** Outcomes that mark a span as failed; others are expected results. */
const FAULTS = new Set(['internal', 'unavailable', 'provider_error', 'provider_timeout', 'outcome_unknown', 'failed', 'misconfigured']);
const STEP_KINDS = {
  call: SpanKind.INTERNAL,
  refresh: SpanKind.INTERNAL,
  provider: SpanKind.CLIENT,
  job: SpanKind.CONSUMER,
  notification: SpanKind.PRODUCER,
} as const;
const KNOWN_METHODS = /^(GET|POST|DELETE|HEAD|OPTIONS|PUT|PATCH)$/;

/**
 * Spans of requests, calls, refreshes, provider requests, jobs and statements (names after OpenTelemetry's semantic
 * conventions for HTTP and databases). Attributes are route patterns, names and outcomes from closed lists only.
 */
export class Tracer {
  readonly #tracer: OtelTracer;
  readonly #propagator: TextMapPropagator | undefined;

  /** @param propagator extracts the caller's trace context; undefined: it is ignored */
  constructor(tracer: OtelTracer, propagator: TextMapPropagator | undefined) {
    this.#tracer = tracer;
    this.#propagator = propagator;
  }

  request(method: string, headers: IncomingHttpHeaders): RequestTrack {
    const name = KNOWN_METHODS.test(method) ? method : '_OTHER';
    const parent = this.#propagator?.extract(ROOT_CONTEXT, headers, defaultTextMapGetter) ?? ROOT_CONTEXT;
    const span = this.#tracer.startSpan(name, { kind: SpanKind.SERVER, attributes: { 'http.request.method': name } }, parent);
    return {
      withContext: (work) => inside(span, work),
      end: (route, status) => {
        if (route !== undefined) span.updateName(`${name} ${route}`).setAttribute('http.route', route);
        if (status > 0) span.setAttribute('http.response.status_code', status);
        if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  /** @returns `end` gets the outcome as in the metrics */
  step({ kind, name, source, operation }: Step) {
    const attributes = {
      [`steward.${kind}`]: name,
      ...(source !== undefined && { 'steward.source': source }),
      ...(operation !== undefined && { 'steward.operation': operation }),
    };
    const title = [kind, name, operation].filter((part) => part !== undefined).join(' ');
    const span = this.#start(title, STEP_KINDS[kind], attributes);
    return {
      withContext: <Result>(work: () => Result): Result => inside(span, work),
      end: (outcome: string) => {
        span.setAttribute('steward.outcome', outcome);
        if (FAULTS.has(outcome)) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  /** Statements outside of requests and jobs (polls, the queue's own) have no spans: they would be the majority. */
  async statement<Result>(sql: string, work: () => Promise<Result>): Promise<Result> {
    if (currentSpan() === undefined) return work();
    const span = this.#start(statementName(sql), SpanKind.CLIENT, { 'db.system.name': 'postgresql' });
    try {
      return await work();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  }

  #start(name: string, kind: SpanKind, attributes: Attributes): Span {
    return this.#tracer.startSpan(name, { kind, attributes }, contextOf(currentSpan()));
  }
}

function inside<Result>(span: Span, work: () => Result): Result {
  return withContext({ trace_id: span.spanContext().traceId }, work, span);
}

/** @param span always set by {@link inside} */
function contextOf(span: unknown): Context {
  return span === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, span as Span);
}

/** @returns verb and table of a statement, or the name of a named one */
function statementName(sql: string): string {
  if (/^[\w-]+$/.test(sql)) return sql.toLowerCase();
  const [verb = 'statement'] = /[a-z]+/i.exec(sql) ?? [];
  const table = /\b(?:from|into|update)\s+(?!only\b|unnest\b|json)([a-z_]+)/i.exec(sql)?.[1];
  return [verb.toLowerCase(), table].filter((part) => part !== undefined).join(' ');
}
