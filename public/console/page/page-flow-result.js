import { flow, sourceFlow } from '../../language/en/accounts.js';
import { missingPermissions } from '../../language/en/permissions.js';
import { notify } from './page-toasts.js';

/** Messages for the result codes of the OAuth flow. An unknown code from the URL is not displayed. */
const SCOPE_NAME = /^[a-z.]{1,40}$/;
const PARAMETERS = ['integration', 'source', 'status', 'code', 'account_id', 'missing_scopes'];

/**
 * Takes the result of connecting an account from the address, of which it is no part any more.
 *
 * @returns `{isConnected, accountId, say()}`; undefined: there is no result
 */
export function takeFlowResult() {
  const url = new URL(location.href);
  const { integration, status, code, account_id: accountId, missing_scopes: missing = '' } = Object.fromEntries(url.searchParams);
  if (integration !== 'workspace' && integration !== 'mcp') return undefined;
  for (const name of PARAMETERS) url.searchParams.delete(name);
  url.hash = 'accounts';
  history.replaceState(null, '', url);
  const isConnected = status === 'connected';
  const texts = integration === 'mcp' ? sourceFlow : flow;
  return { isConnected, accountId, say: () => (isConnected ? sayConnected(texts, missing) : notify('error', texts[code] ?? texts.other)) };
}

function sayConnected(texts, missing) {
  const scopes = missing.split(',').filter((scope) => SCOPE_NAME.test(scope));
  if (scopes.length === 0) notify('done', texts.connected);
  else notify('warning', flow.connectedWithout(missingPermissions(scopes)));
}
