import { flow } from '../../language/en/accounts.js';
import { missingPermissions } from '../../language/en/permissions.js';
import { notify } from './page-toasts.js';

/** Messages for the result codes of the OAuth flow. An unknown code from the URL is not displayed. */
const SCOPE_NAME = /^[a-z.]{1,40}$/;
const PARAMETERS = ['integration', 'status', 'code', 'account_id', 'missing_scopes'];

/**
 * Takes the result of connecting a workspace account from the address, of which it is no part any more.
 *
 * @returns `{isConnected, accountId, say()}`; undefined: there is no result
 */
export function takeFlowResult() {
  const url = new URL(location.href);
  const { integration, status, code, account_id: accountId, missing_scopes: missing = '' } = Object.fromEntries(url.searchParams);
  if (integration !== 'workspace') return undefined;
  for (const name of PARAMETERS) url.searchParams.delete(name);
  url.hash = 'accounts';
  history.replaceState(null, '', url);
  const isConnected = status === 'connected';
  return { isConnected, accountId, say: () => (isConnected ? sayConnected(missing) : notify('error', flow[code] ?? flow.other)) };
}

function sayConnected(missing) {
  const scopes = missing.split(',').filter((scope) => SCOPE_NAME.test(scope));
  if (scopes.length === 0) notify('done', flow.connected);
  else notify('warning', flow.connectedWithout(missingPermissions(scopes)));
}
