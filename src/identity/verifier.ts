import { loadOnce } from '../concurrency/load-once.ts';
import type { IdentitySettings, OidcSettings } from '../config/config.ts';
import { UNMEASURED } from '../observability/telemetry.ts';
import type { VerifierContext, VerifierOptions, VerifyAccessToken, VerifyIdToken } from './identity.ts';

export type { Identity, VerifierOptions, VerifyIdToken } from './identity.ts';

const DAY_MS = 24 * 3_600_000;
const DEFAULTS = {
  telemetry: UNMEASURED,
  httpAgent: undefined,
  timeouts: { keys: 5_000, lookUp: 10_000 },
  keysMaxAge: DAY_MS,
};

/** The verifier that the settings select. Opens no connection and loads no vendor library before the first token. */
export function createVerifier(settings: IdentitySettings, options: VerifierOptions): VerifyIdToken {
  const context: VerifierContext = { ...DEFAULTS, ...options };
  const verifier = loadOnce(() => load(settings, context));
  return async (token) => (await verifier())(token);
}

/**
 * The verifier of access tokens of an issuer. Like {@link createVerifier}, it does nothing before the first token.
 *
 * @param audience the only one
 */
export function createAccessTokenVerifier(
  settings: Pick<OidcSettings, 'issuer' | 'discoveryUrl'>,
  audience: string,
  options: VerifierOptions,
): VerifyAccessToken {
  const context = { ...DEFAULTS, ...options };
  const verifier = loadOnce(async () => (await import('./access-token.ts')).loadAccessTokenVerifier(settings, audience, context));
  return async (token) => (await verifier())(token);
}

async function load(settings: IdentitySettings, context: VerifierContext): Promise<VerifyIdToken> {
  if (settings.kind === 'firebase') return (await import('./firebase.ts')).loadFirebaseVerifier(settings, context);
  return (await import('./oidc.ts')).createOidcVerifier(settings, context);
}
