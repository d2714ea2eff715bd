import { type Dispatcher, type DispatchHandler, nodeDispatcher } from '../../providers/transport/node-dispatcher.ts';

const NAME = /^content-encoding$/i;

/**
 * Node's fetch, for responses that are streamed. Redirects are rejected, because they would send secrets to another host.
 * Responses with several content codings are rejected, because Node's fetch abandons such a body without an error
 * listener, and a later error would end the process (docs/decisions/0008-requests-to-providers.md).
 *
 * @throws TypeError like fetch
 */
export function providerRequest(url: URL | string, init: RequestInit): Promise<Response> {
  return fetch(url, { ...init, redirect: 'error', dispatcher: { dispatch } as Dispatcher });
}

function dispatch(options: Parameters<Dispatcher['dispatch']>[0], handler: DispatchHandler): boolean {
  return nodeDispatcher().dispatch(options, rejectSeveralCodings(handler));
}

/** An error thrown in here fails the request. */
function rejectSeveralCodings(handler: DispatchHandler): DispatchHandler {
  return Object.create(handler, {
    onHeaders: {
      value(this: DispatchHandler, status: number, headers: Buffer[], ...others: [() => void, string]) {
        for (let at = 0; at < headers.length; at += 2) {
          const isCodings = NAME.test(String(headers[at]));
          if (isCodings && String(headers[at + 1]).includes(',')) throw new Error('several content codings');
        }
        return handler.onHeaders?.call(this, status, headers, ...others);
      },
    },
  }) as DispatchHandler;
}
