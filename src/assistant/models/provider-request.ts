import { DecoratorHandler, type Dispatcher, fetch } from 'undici';
import { loadOnce } from '../../concurrency/load-once.ts';
import { openAgent } from '../../providers/transport/http-exchange.ts';

const NAME = 'content-encoding';

const openOwnAgent = loadOnce(async () =>
  (await openAgent()).compose((dispatch) => (options, handler) => dispatch(options, new SingleCoding(handler))),
);

/**
 * A fetch for responses that are streamed. Redirects are rejected, because they would send secrets to another host. Responses
 * with several content codings are rejected, because fetch abandons such a body without an error listener, and a later error
 * would end the process (docs/decisions/0008-requests-to-providers.md).
 *
 * @throws TypeError like fetch
 */
export async function providerRequest(url: URL | string, init: RequestInit): Promise<Response> {
  return fetch(url, { ...init, redirect: 'error', dispatcher: await openOwnAgent() } as never) as unknown as Promise<Response>;
}

type Start = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>;
/** Its types lack its methods. */
interface Handler {
  onResponseStart(...args: Start): void;
}
const Decorator = DecoratorHandler as new (handler: Dispatcher.DispatchHandler) => Handler;

/** An error that a handler throws fails the request. */
class SingleCoding extends Decorator {
  override onResponseStart(...args: Start): void {
    const codings = [args[2][NAME] ?? []].flat();
    if (codings.length > 1 || codings[0]?.includes(',')) throw new Error('several content codings');
    super.onResponseStart(...args);
  }
}
