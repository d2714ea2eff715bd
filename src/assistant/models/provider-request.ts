import { Agent, type Dispatcher, fetch } from 'undici';

const NAME = 'content-encoding';

/** Its own time limits are off: a run has one. */
const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 }).compose(rejectSeveralCodings);

/**
 * A fetch for responses that are streamed. Redirects are rejected, because they would send secrets to another host. Responses
 * with several content codings are rejected, because fetch abandons such a body without an error listener, and a later error
 * would end the process (docs/decisions/0008-requests-to-providers.md).
 *
 * @throws TypeError like fetch
 */
export function providerRequest(url: URL | string, init: RequestInit): Promise<Response> {
  return fetch(url, { ...init, redirect: 'error', dispatcher: agent } as never) as unknown as Promise<Response>;
}

/** An interceptor: an error thrown by the handler fails the request. */
function rejectSeveralCodings(dispatch: Dispatcher['dispatch']): Dispatcher['dispatch'] {
  return (options, handler) =>
    dispatch(
      options,
      Object.create(handler, {
        onResponseStart: {
          value(...[controller, status, headers, message]: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>) {
            const codings = [headers[NAME] ?? []].flat();
            if (codings.length > 1 || codings[0]?.includes(',')) throw new Error('several content codings');
            return handler.onResponseStart?.(controller, status, headers, message);
          },
        },
      }),
    );
}
