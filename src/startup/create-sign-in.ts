import type { Config, IdentitySettings } from '../config/config.ts';
import { CodeFlow } from '../identity/code-flow.ts';
import { createVerifier, type VerifierOptions } from '../identity/verifier.ts';
import type { SignInDeps } from '../sign-in/sign-in-routes.ts';
import type { Sandbox } from './open-sandbox.ts';

/** How users sign in to the service's own pages. */
export function createSignIn(
  config: Pick<Config, 'signIn'>,
  sandbox: Sandbox | undefined,
  identity: IdentitySettings,
  verifying: VerifierOptions,
  publicUrl: string,
): SignInDeps['signIn'] {
  const settings = config.signIn === 'sandbox' ? sandbox?.signIn : config.signIn;
  if (settings !== undefined && 'pageUrl' in settings) return settings;
  if (settings === undefined || identity.kind !== 'oidc') {
    const variable = identity.kind === 'oidc' ? 'OIDC_CLIENT_ID' : 'SIGN_IN_URL';
    return { missing: `Users can’t sign in to this page yet: the operator has to set ${variable}.` };
  }
  const client = { ...settings, redirectUri: `${publicUrl}/auth/session/callback` };
  // ID tokens of the pages' own client are for it alone, and no credential of the API unless it is OIDC_AUDIENCE.
  return { flow: new CodeFlow(identity, client, createVerifier({ ...identity, audience: settings.clientId }, verifying), verifying.clock) };
}
