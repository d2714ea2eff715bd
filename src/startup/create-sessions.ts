import { createVerifier, type VerifierOptions } from '../identity/verifier.ts';
import { WebSessions } from '../sign-in/web-sessions.ts';
import { Sessions } from '../users/sessions.ts';
import type { Core } from './core.ts';
import { createSignIn } from './create-sign-in.ts';
import { identitySettings, type Sandbox } from './open-sandbox.ts';

/**
 * The users of ID tokens, and of sessions at the service's own pages.
 *
 * @param connections of the ID token verifier, which tests and development replace
 * @returns besides them, how tokens are verified: also those of the operator's own server for MCP clients
 */
export function createSessions(
  { config, clock, logger, telemetry, db, names }: Core,
  sandbox: Sandbox | undefined,
  connections: Omit<VerifierOptions, 'clock' | 'logger'> | undefined,
  publicUrl: string,
) {
  const identity = identitySettings(config, sandbox);
  const verifying: VerifierOptions = {
    keysMaxAge: config.identityKeysMaxAgeSeconds * 1_000,
    ...connections,
    clock,
    logger,
    telemetry,
  };
  const sessions = new Sessions(db, createVerifier(identity, verifying), names, config.allowedUsers);
  const webSessions = new WebSessions(db, (email) => sessions.assertAllowed(email));
  /** How users sign in to the service's own pages. */
  const signIn = createSignIn(config, sandbox, identity, verifying, publicUrl);
  return { sessions, webSessions, signIn, verifying };
}
