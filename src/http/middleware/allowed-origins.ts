import type { Clock } from '../../clock/clock.ts';
import { type Config, isLoopback } from '../../config/config.ts';
import type { Logger } from '../../observability/logger.ts';
import { redactUrl } from '../../observability/redact-url.ts';
import { throttledLog } from '../../observability/throttled-log.ts';

type OriginConfig = Pick<Config, 'allowedOrigins' | 'environment'>;

/**
 * Returns the check for CORS and WebSocket upgrades: whether pages of an origin may call the service. Rejections are
 * logged once a minute at most, because a page sees only a failed request.
 *
 * @param publicUrl the service's own origin, which is always allowed
 */
export function allowedOrigins(config: OriginConfig, publicUrl: string, clock: Clock, logger: Logger): (origin: string) => boolean {
  const log = throttledLog(clock, logger, 'info');
  const own = new URL(publicUrl).origin;
  return (origin) => {
    const allowed = isAllowed(config, own, origin);
    if (!allowed) log({ origin: redactUrl(origin) }, 'an origin was rejected: see ALLOWED_ORIGINS');
    return allowed;
  };
}

/** ALLOWED_ORIGINS, the service's own origin, and any loopback origin in development. */
function isAllowed({ allowedOrigins: list, environment }: OriginConfig, own: string, origin: string): boolean {
  if (list.includes(origin) || origin === own) return true;
  const url = URL.parse(origin);
  // Only the serialization that browsers send: scheme, host and port (RFC 6454, section 6.2).
  return url !== null && url.origin === origin && environment === 'development' && isLoopback(url.hostname);
}
