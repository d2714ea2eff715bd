import { randomUUID, X509Certificate } from 'node:crypto';
import type { Auth } from 'firebase-admin/auth';
import { z } from 'zod';
import type { FirebaseSettings } from '../config/config.ts';
import { usesFirebaseEmulator } from '../config/load-config.ts';
import { type ThrottledLog, throttledLog } from '../observability/throttled-log.ts';
import { CertificateAgent } from './certificate-agent.ts';
import { fetchJson } from './fetch-keys.ts';
import type { VerifierContext, VerifyIdToken } from './identity.ts';
import { KeySet, type LoadedKeys } from './key-set.ts';
import { identityFromClaims } from './token-claims.ts';
import { identityUnavailable, invalidToken, tokenExpired } from './token-errors.ts';
import { readHeader } from './token-header.ts';

/** Where the certificates of Firebase's ID tokens are published (firebase.google.com/docs/auth/admin/verify-id-tokens). */
const CERTIFICATES_URL = new URL('https://www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com');
/** Seconds after which a failed question about a user is worth repeating. */
const LOOK_UP_RETRY = 5;

const certificatesSchema = z
  .record(z.string().min(1), z.string().refine(isCertificate, 'is not a certificate'))
  .refine((certificates) => Object.keys(certificates).length > 0, 'holds no certificate');

/** Errors of firebase-admin that say something about the token or its user; all others leave the question open. */
const REFUSALS = new Set(['auth/argument-error', 'auth/id-token-revoked', 'auth/user-disabled', 'auth/user-not-found']);

/**
 * ID tokens of a Firebase project, verified by firebase-admin over certificates that we fetch ourselves. Revoked
 * tokens, and those of disabled or deleted users, are refused where the settings allow the check.
 */
export async function loadFirebaseVerifier(settings: FirebaseSettings, context: VerifierContext): Promise<VerifyIdToken> {
  const certificates = new KeySet({
    load: (signal) => loadCertificates(signal, context),
    logger: context.logger,
    telemetry: context.telemetry,
    now: context.now,
    timeout: context.timeouts.keys,
    maxAge: context.keysMaxAge,
  });
  const auth = await openAuth(settings, context, certificates);
  const alarm = throttledLog(context.logger, 'error', context.now);
  const expected = { issuer: `https://securetoken.google.com/${settings.projectId}`, audience: settings.projectId };
  return async (token) => {
    const { alg, kid, bringsKey } = readHeader(token);
    // The emulator's tokens are unsigned, so that no key could tell anything about another.
    if (usesFirebaseEmulator() && alg !== 'none') throw invalidToken('signed, where the emulator’s tokens are expected');
    // firebase-admin refuses any other algorithm without looking for a key; unsigned tokens it takes from its emulator only.
    if (alg === 'RS256' && (kid === undefined || (await certificates.find(kid, !bringsKey)) === undefined))
      throw invalidToken('unknown key id');
    const claims = await verifyIdToken(auth, token, settings.checkRevoked, context.timeouts.lookUp, alarm);
    const identity = identityFromClaims(claims, expected, context.now());
    // Without it firebase-admin's comparison with the time of revocation is never true.
    if (identity.authTime === undefined) throw invalidToken('no auth_time');
    return identity;
  };
}

async function openAuth(settings: FirebaseSettings, context: VerifierContext, certificates: KeySet<string>): Promise<Auth> {
  const [{ applicationDefault, initializeApp }, { getAuth }] = await Promise.all([
    import('firebase-admin/app'),
    import('firebase-admin/auth'),
  ]);
  const options = {
    projectId: settings.projectId,
    httpAgent: new CertificateAgent(CERTIFICATES_URL.hostname, () => certificates.latest, context.httpAgent),
  };
  const credential = settings.checkRevoked ? { credential: applicationDefault(context.httpAgent) } : {};
  // A name of its own: the unnamed app belongs to whoever embeds us, and a name can be taken once.
  return getAuth(initializeApp({ ...options, ...credential }, `steward-identity-${randomUUID()}`));
}

async function loadCertificates(signal: AbortSignal, { httpAgent }: VerifierContext): Promise<LoadedKeys<string>> {
  const { body, maxAge } = await fetchJson(CERTIFICATES_URL, { signal, httpAgent });
  return { keys: new Map(Object.entries(certificatesSchema.parse(body))), maxAge };
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).publicKey.asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

async function verifyIdToken(auth: Auth, token: string, checkRevoked: boolean, timeout: number, alarm: ThrottledLog): Promise<unknown> {
  try {
    return await before(timeout, auth.verifyIdToken(token, checkRevoked));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'auth/id-token-expired') throw tokenExpired();
    if (REFUSALS.has(code)) throw invalidToken(code);
    // Never "valid" by default: a question about revocation that got no answer is no answer.
    alarm({ err: error }, 'Firebase cannot be asked about users: ID tokens cannot be checked');
    throw identityUnavailable(LOOK_UP_RETRY, error);
  }
}

/** firebase-admin repeats failed requests of 25 s each; a caller is not kept waiting that long. */
async function before<Value>(timeout: number, promise: Promise<Value>): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${timeout} ms`)), timeout);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
