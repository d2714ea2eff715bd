import type { Renewal } from '../provider.ts';
import type { JsonAnswer } from '../provider-fetch.ts';
import { wrongFields } from '../provider-text.ts';
import { grantedScopes } from './workspace-scopes.ts';
import { lifetime, oauthErrors, renewalAnswer } from './workspace-tokens.ts';

/** RFC 6749, 5.2, and the provider's words for what its administrator ended: a session, this app's access, the user's. */
const ENDED = new Set(['invalid_grant', 'invalid_rapt', 'access_denied', 'admin_policy_enforced']);
const MISCONFIGURED = new Set(['invalid_client', 'unauthorized_client', 'deleted_client', 'disabled_client']);

/** Tells the token endpoint's answers to a refresh apart. Whatever is not understood is worth another try. */
export function readRenewal({ status, body, retryAfter }: JsonAnswer): Renewal {
  const parsed = renewalAnswer.safeParse(body);
  if (status === 200 && parsed.success) {
    const { access_token: accessToken, refresh_token: refreshToken, scope, expires_in } = parsed.data;
    const scopes = scope === undefined || scope.trim() === '' ? undefined : grantedScopes(scope);
    return { kind: 'renewed', accessToken, refreshToken, scopes, lifeSeconds: lifetime(expires_in) };
  }
  const codes = oauthErrors(body);
  const fault = status === 200 && parsed.error ? `unexpected ${wrongFields(parsed.error)}` : 'no OAuth error';
  const reason = new Error(`token endpoint: HTTP ${status}, ${codes[0] ?? fault}`);
  const isRefusal = status >= 400 && status < 500 && status !== 429;
  if (isRefusal && codes.some((code) => MISCONFIGURED.has(code))) return { kind: 'misconfigured', reason };
  if (isRefusal && codes.some((code) => ENDED.has(code))) return { kind: 'ended', reason };
  return { kind: 'failed', reason, retryAfter };
}
