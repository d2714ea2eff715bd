import { AsyncLocalStorage } from 'node:async_hooks';

/** Whose work it is: ids of our own, which every line logged in that work carries. */
export type LogFields = Readonly<Partial<Record<'request_id' | 'call' | 'job' | 'job_id' | 'trace_id', string>>>;

interface Scope {
  fields: LogFields;
  /** What the tracer has opened around this work; nobody else looks into it. */
  span: unknown;
}

const scopes = new AsyncLocalStorage<Scope | undefined>();

/** Runs work whose lines carry these fields beside those of the work around it, however deep they are logged. */
export function withContext<Result>(fields: LogFields, work: () => Result): Result {
  const around = scopes.getStore();
  // Most work has none around it; copying nothing would take most of the time.
  const scope = around === undefined ? { fields, span: undefined } : { fields: { ...around.fields, ...fields }, span: around.span };
  return scopes.run(scope, work);
}

/** Runs work inside a span; `fields` as {@link within}. */
export function withSpan<Result>(span: unknown, fields: LogFields, work: () => Result): Result {
  return scopes.run({ fields: { ...scopes.getStore()?.fields, ...fields }, span }, work);
}

/** Runs what outlives the request it was begun in, or serves many: its lines are nobody's. */
export function detached<Result>(work: () => Result): Result {
  return scopes.getStore() === undefined ? work() : scopes.run(undefined, work);
}

export function currentFields(): LogFields | undefined {
  return scopes.getStore()?.fields;
}

export function currentSpan(): unknown {
  return scopes.getStore()?.span;
}
