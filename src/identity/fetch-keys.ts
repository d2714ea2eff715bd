import type { Agent, IncomingMessage } from 'node:http';
import { http, https } from '../node-http.ts';
import { readCapped } from '../rate-limit/capped-body.ts';

/** Discovery documents and key sets are a few kilobytes. */
const MAX_BYTES = 262_144;

export interface FetchOptions {
  signal: AbortSignal;
  /** For https URLs. */
  httpAgent: Agent | undefined;
}

/**
 * Fetches a small JSON document. Redirects are not followed, since keys must come from the given URL.
 *
 * @throws Error on network faults, any status but 200, more than 256 kB, and a body that is not JSON in UTF-8
 */
export async function fetchJson(url: URL, options: FetchOptions) {
  const response = await get(url, options);
  if (response.statusCode !== 200) {
    response.destroy();
    throw new Error(`${url.host} responded with ${response.statusCode} instead of 200`);
  }
  const tooLarge = () => new Error(`${url.host} responded with more than ${MAX_BYTES} bytes`);
  const text = new TextDecoder('utf-8', { fatal: true }).decode(await readCapped(response, MAX_BYTES, tooLarge));
  // `max-age` of Cache-Control (RFC 9111 5.2.2.1), seconds.
  return { body: parse(text, url.host), maxAge: maxAge(response.headers['cache-control']) };
}

function get(url: URL, { signal, httpAgent }: FetchOptions): Promise<IncomingMessage> {
  const headers = { accept: 'application/json' };
  return new Promise((resolve, reject) => {
    const request =
      url.protocol === 'https:' ? https.request(url, { signal, headers, agent: httpAgent }) : http.request(url, { signal, headers });
    // Also receives an abort while the body is being read.
    request.on('response', resolve).on('error', reject).end();
  });
}

function parse(text: string, host: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${host} responded with something other than JSON`);
  }
}

function maxAge(cacheControl: string | undefined): number | undefined {
  const seconds = /(?:^|[\s,])max-age="?(\d+)/i.exec(cacheControl ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}
