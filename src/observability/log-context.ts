import { AsyncLocalStorage } from 'node:async_hooks';

/** Ids of the service that every line logged during some work contains. */
export type LogFields = Readonly<Partial<Record<'request_id' | 'call' | 'job' | 'job_id' | 'trace_id', string>>>;

interface Scope {
  fields: LogFields;
  /** The tracer's current span; opaque to this module. */
  span: unknown;
}

const scopes = new AsyncLocalStorage<Scope | undefined>();

/** Runs work whose log lines contain these fields, in addition to those of the enclosing context, and inside its span or another. */
export function withContext<Result>(fields: LogFields, work: () => Result, span: unknown = currentSpan()): Result {
  return scopes.run({ fields: { ...currentFields(), ...fields }, span }, work);
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
