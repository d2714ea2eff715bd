/** The HTTP client below Node's fetch (undici), with its connections. */
export type Dispatcher = NonNullable<RequestInit['dispatcher']>;
export type DispatchHandler = Parameters<Dispatcher['dispatch']>[1];

/** Where Node's fetch stores it, shared with the package `undici`. */
const SHARED = Symbol.for('undici.globalDispatcher.1');

/** The dispatcher of Node's fetch: its connections are kept alive, and a proxy of the environment applies to it. */
export function nodeDispatcher(): Dispatcher {
  // Node creates the dispatcher when fetch is first used. A bundler drops an expression whose value is unused.
  Reflect.get(globalThis, 'Response');
  const dispatcher = (globalThis as { [SHARED]?: Dispatcher })[SHARED];
  if (dispatcher === undefined) throw new Error('this Node keeps the client of its fetch elsewhere');
  return dispatcher;
}
