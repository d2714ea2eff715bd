type Dispatcher = NonNullable<RequestInit['dispatcher']>;
type Handler = Parameters<Dispatcher['dispatch']>[1];

/** Where Node's fetch keeps the client that it sends with; the package `undici` shares it by this name. */
const CLIENT = Symbol.for('undici.globalDispatcher.1');
const NAME = /^content-encoding$/i;

/**
 * Node's fetch, for requests to a provider. Redirects are refused: they would carry secrets elsewhere. So are answers of
 * more than one content coding: of six Node's fetch gives up the body without a listener, and the error that ends the
 * body later would end the process (docs/decisions/0020-content-codings.md).
 *
 * @throws TypeError as fetch does
 */
export function providerRequest(url: URL | string, init: RequestInit): Promise<Response> {
  return fetch(url, { ...init, redirect: 'error', dispatcher: { dispatch } as Dispatcher });
}

function dispatch(options: Parameters<Dispatcher['dispatch']>[0], handler: Handler): boolean {
  // The client is made with Node's fetch, at its first use.
  void Response;
  const client = (globalThis as { [CLIENT]?: Dispatcher })[CLIENT];
  if (client === undefined) throw new Error('this Node keeps the client of its fetch elsewhere');
  return client.dispatch(options, refusingCodings(handler));
}

/** What this throws ends the request, and with it the fetch. */
function refusingCodings(handler: Handler): Handler {
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
