import type { Clock } from '../clock/clock.ts';
import { type Config, isLoopback } from '../config/config.ts';
import { AppError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import { redactUrl } from '../observability/redact-url.ts';
import { type ThrottledLog, throttledLog } from '../observability/throttled-log.ts';

const MAX_LENGTH = 2048;
// A backslash is a slash to browsers and white space is dropped: both have been used to get past comparisons.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are rejected
const SUSPICIOUS = /[\\\s\u0000-\u001f\u007f]/u;

/** Decides where a browser may be sent after a flow (RFC 9700, 4.11). */
export class RedirectUris {
  readonly #allowed: URL[];
  readonly #anyLoopback: boolean;
  readonly #log: ThrottledLog;
  /** Redirect target of a flow without a redirect_uri. */
  readonly fallback: string;

  constructor(config: Config, publicUrl: string, clock: Clock, logger: Logger) {
    this.#log = throttledLog(clock, logger, 'info');
    this.fallback = config.environment === 'production' ? (config.siteUrl ?? publicUrl) : `${publicUrl}/`;
    const ofConsole = config.console ? [`${publicUrl}/console`] : [];
    this.#allowed = [this.fallback, ...ofConsole, ...config.allowedRedirectUris].map((uri) => new URL(uri));
    this.#anyLoopback = config.environment === 'development';
  }

  /**
   * @param uri as the client sent it; undefined: the fallback
   * @returns the address, unchanged
   * @throws AppError `invalid_request`: nothing is ever redirected to an address that isn't allowed
   */
  resolve(uri: string | undefined): string {
    if (uri === undefined) return this.fallback;
    // A fragment is not allowed in the address itself (RFC 6749, 3.1.2).
    const url = uri.length > MAX_LENGTH || SUSPICIOUS.test(uri) || uri.includes('#') ? null : URL.parse(uri);
    if (url === null || url.username !== '' || url.password !== '' || !this.#isAllowed(url)) {
      this.#log({ redirect_uri: redactUrl(uri) }, 'a redirect_uri was rejected: it is not in ALLOWED_REDIRECT_URIS');
      throw new AppError('invalid_request', 'redirect_uri: is not one of the allowed addresses');
    }
    return uri;
  }

  #isAllowed(url: URL): boolean {
    if (url.protocol !== 'https:' && url.protocol !== 'http:') return false;
    if (this.#anyLoopback && isLoopback(url.hostname)) return true;
    return this.#allowed.some((allowed) => matches(url, allowed));
  }
}

/** Exact, but for the port of a loopback address, which native apps choose at run time (RFC 8252, 7.3). */
function matches(url: URL, allowed: URL): boolean {
  if (!isLoopback(allowed.hostname)) return url.href === allowed.href;
  const samePort = new URL(url);
  samePort.port = allowed.port;
  return samePort.href === allowed.href;
}
