import type { IdentitySettings } from '../config/config.ts';
import { UNMEASURED } from '../observability/telemetry.ts';
import type { VerifierContext, VerifierOptions, VerifyIdToken } from './identity.ts';

export type { Identity, VerifierOptions, VerifyIdToken } from './identity.ts';

const DAY_MS = 24 * 3_600_000;
const TIMEOUTS = { keys: 5_000, lookUp: 10_000 };

/** The verifier that the settings ask for. Opens no connection and loads no vendor library before the first token. */
export function createVerifier(settings: IdentitySettings, options: VerifierOptions): VerifyIdToken {
  const context: VerifierContext = {
    logger: options.logger,
    telemetry: options.telemetry ?? UNMEASURED,
    now: options.now ?? Date.now,
    httpAgent: options.httpAgent,
    timeouts: options.timeouts ?? TIMEOUTS,
    keysMaxAge: options.keysMaxAge ?? DAY_MS,
  };
  let verifier: Promise<VerifyIdToken> | undefined;
  return async (token) => {
    verifier ??= load(settings, context).catch((error: unknown) => {
      // A load that failed is tried again by the next token.
      verifier = undefined;
      throw error;
    });
    const verify = await verifier;
    return verify(token);
  };
}

async function load(settings: IdentitySettings, context: VerifierContext): Promise<VerifyIdToken> {
  if (settings.kind === 'firebase') return (await import('./firebase.ts')).loadFirebaseVerifier(settings, context);
  return (await import('./oidc.ts')).createOidcVerifier(settings, context);
}
