import { AppError } from '../../errors.ts';
import { readCapped } from '../../rate-limit/capped-body.ts';
import { usedMetadata } from './client-metadata.ts';

/** Documents that are being fetched at a time, until their headers arrive. */
const AT_ONCE = 8;
export const MAX_DOCUMENT_BYTES = 64 * 1024;

/** Fetches one address. Resolves with the headers, and settles when nothing of it goes on. */
export type FetchDocument = (url: URL, signal: AbortSignal) => Promise<Response>;

/**
 * Bounds how many documents are fetched at a time: their look-ups, connections and headers. Bodies are bounded by the
 * library's time limit and {@link MAX_DOCUMENT_BYTES}.
 *
 * @returns a replacement of `fetch` for the library, which sets the time limit (2.5 s) and reads the body
 */
export function documentFetcher(fetchDocument: FetchDocument = fetchPublic): (url: URL | string, signal: AbortSignal) => Promise<Response> {
  let running = 0;
  return async (address, signal) => {
    if (running >= AT_ONCE) throw new AppError('unavailable', 'Too many documents of clients are being fetched.', { retryAfter: 3 });
    running += 1;
    try {
      return await fetchDocument(new URL(address), signal);
    } finally {
      running -= 1;
    }
  };
}

/**
 * The response with a document that has only what is used of it.
 *
 * @throws Error when it has more than {@link MAX_DOCUMENT_BYTES}
 */
export async function withUsedMetadata(response: Response): Promise<Response> {
  if (response.status !== 200 || response.body === null) return response;
  const tooLarge = () => new Error(`the document has more than ${MAX_DOCUMENT_BYTES} bytes`);
  const text = (await readCapped(response.body, MAX_DOCUMENT_BYTES, tooLarge)).toString();
  return new Response(usedMetadata(text), { headers: response.headers });
}

/** What the user is shown of an error of the library; undefined: it is not about the fetch of a document. */
export function fetchFailure(error: unknown): AppError | undefined {
  const { error_description: description, cause } = error as { error_description?: string; cause?: unknown };
  if (description?.includes('document fetch failed') !== true) return undefined;
  if (cause instanceof AppError && cause.code === 'unavailable') return cause;
  const text =
    'The app’s document could not be fetched: this service needs a way to it by https. The operator finds the reason in the log.';
  return new AppError('invalid_request', text, { cause });
}

/** Fetches an https address of the public internet; redirects are not followed. Its code is loaded with the first document. */
async function fetchPublic(url: URL, signal: AbortSignal): Promise<Response> {
  const { fetchPublicDocument } = await import('../../outbound/public-document.ts');
  return fetchPublicDocument(url, signal);
}
