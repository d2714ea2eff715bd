type Dispatcher = NonNullable<RequestInit['dispatcher']>;
type Handler = Parameters<Dispatcher['dispatch']>[1];

/** Where Node's fetch stores its dispatcher, which the package `undici` shares. */
const CLIENT = Symbol.for('undici.globalDispatcher.1');
const NAME = /^content-encoding$/i;

/**
 * Node's fetch, for requests to a provider. Redirects are rejected, because they would send secrets to another host.
 * Responses with several content codings are rejected, because Node's fetch abandons such a body without an error
 * listener, and a later error would end the process (docs/decisions/0020-content-codings.md).
 *
 * @throws TypeError like fetch
 */
export function providerRequest(url: URL | string, init: RequestInit): Promise<Response> {
  return fetch(url, { ...init, redirect: 'error', dispatcher: { dispatch } as Dispatcher });
}

function dispatch(options: Parameters<Dispatcher['dispatch']>[0], handler: Handler): boolean {
  // Node creates the dispatcher when fetch is first used.
  void Response;
  const client = (globalThis as { [CLIENT]?: Dispatcher })[CLIENT];
  if (client === undefined) throw new Error('this Node keeps the client of its fetch elsewhere');
  return client.dispatch(options, rejectSeveralCodings(handler));
}

/** An error thrown in here fails the request. */
function rejectSeveralCodings(handler: Handler): Handler {
  return Object.create(handler, {
    onHeaders: {
      value(this: Handler, status: number, headers: Buffer[], ...others: [() => void, string]) {
        for (let at = 0; at < headers.length; at += 2) {
          const isCodings = NAME.test(String(headers[at]));
          if (isCodings && String(headers[at + 1]).includes(',')) throw new Error('several content codings');
        }
        return handler.onHeaders?.call(this, status, headers, ...others);
      },
    },
  }) as Handler;
}
