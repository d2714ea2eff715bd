import { setImmediate as nextTurn } from 'node:timers/promises';
import { providerRequest } from './provider-request.ts';

/** Of one response, decoded. A token takes some hundred bytes, and may be one letter. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Read in one turn of the event loop: a hundred tokens, each of which takes some 30 microseconds. */
const TURN_BYTES = 16 * 1024;

/**
 * Node's fetch, for requests to a model: redirects are rejected, because they would send the conversation, and with some
 * providers the key, to another host; and no more is read of a response than an answer can have, even within one line.
 */
export async function modelRequest(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const response = await providerRequest(input instanceof Request ? input.url : input, init);
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(bounded()), { status, statusText, headers });
}

function bounded(): TransformStream<Uint8Array, Uint8Array> {
  let left = MAX_BYTES;
  return new TransformStream({
    async transform(bytes, controller) {
      left -= bytes.length;
      if (left < 0) throw new Error('the response of a model is too large');
      for (let at = 0; at < bytes.length; at += TURN_BYTES) {
        // All that follows of a stream runs in microtasks, so that a fast model would leave other requests no turn.
        await nextTurn();
        controller.enqueue(bytes.subarray(at, at + TURN_BYTES));
      }
    },
  });
}
