import type { Renewal } from '../shared/provider.ts';
import { wrongFields } from '../shared/provider-text.ts';
import type { JsonResponse } from '../transport/provider-fetch.ts';
import { grantedScopes } from './workspace-scopes.ts';
import { lifetime, oauthErrors, renewalResponse } from './workspace-tokens.ts';

/** RFC 6749, 5.2, and the provider's codes for access that an administrator has ended. */
const ENDED = new Set(['invalid_grant', 'invalid_rapt', 'access_denied', 'admin_policy_enforced']);
const MISCONFIGURED = new Set(['invalid_client', 'unauthorized_client', 'deleted_client', 'disabled_client']);

/** Interprets the token endpoint's response to a refresh. An unknown response is retried. */
export function readRenewal({ status, body, retryAfter }: JsonResponse): Renewal {
  const parsed = renewalResponse.safeParse(body);
  if (status === 200 && parsed.success) {
    const { access_token: accessToken, refresh_token: refreshToken, scope, expires_in } = parsed.data;
    const scopes = scope === undefined || scope.trim() === '' ? undefined : grantedScopes(scope);
    return { kind: 'renewed', accessToken, refreshToken, scopes, lifeSeconds: lifetime(expires_in) };
  }
  const codes = oauthErrors(body);
  const fault = status === 200 && parsed.error ? `unexpected ${wrongFields(parsed.error)}` : 'no OAuth error';
  const reason = new Error(`token endpoint: HTTP ${status}, ${codes[0] ?? fault}`);
  const isRejection = status >= 400 && status < 500 && status !== 429;
  if (isRejection && codes.some((code) => MISCONFIGURED.has(code))) return { kind: 'misconfigured', reason };
  if (isRejection && codes.some((code) => ENDED.has(code))) return { kind: 'ended', reason };
  return { kind: 'failed', reason, retryAfter };
}
