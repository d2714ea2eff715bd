import { flow } from '../../language/en/accounts.js';
import { missingPermissions } from '../../language/en/permissions.js';
import { notify } from './page-toasts.js';

/** Messages for the result codes of the OAuth flow. An unknown code from the URL is not displayed. */
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
  if (status !== 'connected') notify('error', flow[code] ?? flow.other);
  else if (scopes.length === 0) notify('done', flow.connected);
  else notify('warning', flow.connectedWithout(missingPermissions(scopes)));
  return status === 'connected';
}
