import { AsyncLocalStorage } from 'node:async_hooks';

/** Ids of the service that every line logged during some work contains. */
export type LogFields = Readonly<Partial<Record<'request_id' | 'call' | 'job' | 'job_id' | 'trace_id', string>>>;

interface Scope {
  fields: LogFields;
  /** The tracer's current span; opaque to this module. */
  span: unknown;
}

const scopes = new AsyncLocalStorage<Scope | undefined>();

/** Runs work whose log lines contain these fields, in addition to those of the enclosing context. */
export function withContext<Result>(fields: LogFields, work: () => Result): Result {
  const around = scopes.getStore();
  // Most work has no enclosing context; then nothing is copied.
  const scope = around === undefined ? { fields, span: undefined } : { fields: { ...around.fields, ...fields }, span: around.span };
  return scopes.run(scope, work);
}

/** Runs work inside a span; `fields` as for {@link withContext}. */
export function withSpan<Result>(span: unknown, fields: LogFields, work: () => Result): Result {
  return scopes.run({ fields: { ...scopes.getStore()?.fields, ...fields }, span }, work);
}

/** Runs work without context: it outlives the request that started it, or serves many requests. */
export function detached<Result>(work: () => Result): Result {
  return scopes.getStore() === undefined ? work() : scopes.run(undefined, work);
}

export function currentFields(): LogFields | undefined {
  return scopes.getStore()?.fields;
}

export function currentSpan(): unknown {
  return scopes.getStore()?.span;
}
