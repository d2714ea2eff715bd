import { missingPermissions } from '../../language/en/permissions.js';
import { notify } from './page-toasts.js';

/** Messages for the result codes of the OAuth flow. An unknown code from the URL is not displayed. */
const RESULTS = {
  access_denied: 'Access was denied. No account was connected.',
  account_mismatch: 'A different account was selected. No account was connected.',
  expired: 'The request expired. Connect again.',
  no_refresh_token: 'The provider issued no refresh token. Remove Steward from the connected apps of the account, then connect again.',
  missing_scopes: 'Access to the email address is required. Connect again and allow it.',
  provider_error: 'The provider sent an unexpected response. Try again later.',
};
const SCOPE_NAME = /^[a-z.]{1,40}$/;
const PARAMETERS = ['integration', 'status', 'code', 'account_id', 'missing_scopes'];

/**
 * Shows the result of connecting a workspace account from the query, and removes it from the address.
 *
 * @returns whether an account was connected; undefined: there is no result
 */
export function showFlowResult() {
  const url = new URL(location.href);
  const { integration, status, code, missing_scopes: missing } = Object.fromEntries(url.searchParams);
  if (integration !== 'workspace') return undefined;
  for (const name of PARAMETERS) url.searchParams.delete(name);
  url.hash = 'accounts';
  history.replaceState(null, '', url);
  const scopes = (missing ?? '').split(',').filter((scope) => SCOPE_NAME.test(scope));
  if (status !== 'connected') notify('error', RESULTS[code] ?? 'The account could not be connected.');
  else if (scopes.length === 0) notify('done', 'The workspace account is connected.');
  else notify('warning', `The workspace account is connected. ${missingPermissions(scopes)}`);
  return status === 'connected';
}
