import { randomUUID, X509Certificate } from 'node:crypto';
import type { AppOptions } from 'firebase-admin/app';
import type { Auth, UserRecord } from 'firebase-admin/auth';
import { z } from 'zod';
import type { FirebaseSettings } from '../config/config.ts';
import { usesFirebaseEmulator } from '../config/load-config.ts';
import { throttledLog } from '../observability/throttled-log.ts';
import { withTimeLimit } from '../rate-limit/time-limit.ts';
import { fetchJson } from './fetch-keys.ts';
import { createTokenVerifier, identityFromClaims, idTokenClaims, idTokenHeader, type TokenRules } from './id-token.ts';
import type { Identity, VerifierContext, VerifyIdToken } from './identity.ts';
import { KeySet, type LoadedKeys } from './key-set.ts';
import { signingKeys } from './signing-keys.ts';
import { identityUnavailable, invalidToken, tokenExpired } from './token-errors.ts';

/** Where the certificates of Firebase's ID tokens are published (firebase.google.com/docs/auth/admin/verify-id-tokens). */
const CERTIFICATES_URL = new URL('https://www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com');
/** Seconds after which a failed request to Firebase may be retried. */
const RETRY_AFTER = 5;

const certificatesSchema = z.record(z.string().min(1), z.string());

/** firebase-admin's errors about the token or its user; all others leave its validity open. */
const REJECTIONS = new Set([
  'auth/argument-error',
  'auth/id-token-revoked',
  'auth/invalid-uid',
  'auth/user-disabled',
  'auth/user-not-found',
]);

type AskFirebase = <Response>(request: Promise<Response>) => Promise<Response>;

/**
 * ID tokens of a Firebase project, verified by the rules that Firebase publishes for JWT libraries. Tokens that were
 * revoked, or whose user is disabled or deleted, are rejected where the settings allow the check.
 */
export async function loadFirebaseVerifier(settings: FirebaseSettings, context: VerifierContext): Promise<VerifyIdToken> {
  const { projectId } = settings;
  const rules: TokenRules = {
    issuer: `https://securetoken.google.com/${projectId}`,
    audience: projectId,
    algorithms: ['RS256'],
    header: idTokenHeader.required({ kid: true }),
    // The check for revocation needs auth_time.
    claims: idTokenClaims.extend({ aud: z.string(), auth_time: z.number() }),
  };
  const ask = askFirebase(context);
  if (usesFirebaseEmulator()) {
    // Unsigned tokens, which firebase-admin accepts only while it is configured for the emulator.
    const auth = await openAuth({ projectId });
    return async (token) => identityFromClaims(await ask(auth.verifyIdToken(token)), rules, context.clock.now());
  }
  const verify = createTokenVerifier(new KeySet((signal) => loadCertificates(signal, context), context), rules, context.clock);
  if (!settings.checkRevoked) return verify;
  const { applicationDefault } = await import('firebase-admin/app');
  const http = context.httpAgent === undefined ? {} : { httpAgent: context.httpAgent };
  const auth = await openAuth({ projectId, credential: applicationDefault(context.httpAgent), ...http });
  return async (token) => {
    const identity = await verify(token);
    checkUser(await ask(auth.getUser(identity.subject)), identity);
    return identity;
  };
}

async function openAuth(options: AppOptions): Promise<Auth> {
  const [{ initializeApp }, { getAuth }] = await Promise.all([import('firebase-admin/app'), import('firebase-admin/auth')]);
  // A name of its own: the unnamed app belongs to the embedding program, and a name can be used once.
  return getAuth(initializeApp(options, `steward-identity-${randomUUID()}`));
}

async function loadCertificates(signal: AbortSignal, { httpAgent }: VerifierContext): Promise<LoadedKeys> {
  const { body, maxAge } = await fetchJson(CERTIFICATES_URL, { signal, httpAgent });
  const certificates = Object.entries(certificatesSchema.parse(body));
  const jwks = certificates.map(([kid, pem]) => ({ ...new X509Certificate(pem).publicKey.export({ format: 'jwk' }), kid }));
  return { jwks: signingKeys(jwks), maxAge };
}

/** firebase-admin's own check for revocation, whose `verifyIdToken` would fetch certificates without our bounds. */
function checkUser({ disabled, tokensValidAfterTime }: UserRecord, { authTime = 0 }: Identity): void {
  if (disabled) throw invalidToken('the user is disabled');
  if (tokensValidAfterTime !== undefined && !(authTime * 1_000 >= Date.parse(tokensValidAfterTime))) throw invalidToken('revoked');
}

function askFirebase({ logger, clock, timeouts }: VerifierContext): AskFirebase {
  const alarm = throttledLog(clock, logger, 'error');
  return async (request) => {
    try {
      // firebase-admin retries failed requests of 25 s each; a caller does not wait that long.
      return await withTimeLimit(clock, request, timeouts.lookUp, () => {
        throw new Error(`no response within ${timeouts.lookUp} ms`);
      });
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (code === 'auth/id-token-expired') throw tokenExpired();
      if (REJECTIONS.has(code)) throw invalidToken(code);
      // Without a response about revocation the token is not accepted.
      alarm({ err: error }, 'Firebase cannot be asked about users: ID tokens cannot be verified');
      throw identityUnavailable(RETRY_AFTER, error);
    }
  };
}
