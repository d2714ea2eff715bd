import type { FlowEnd } from './flows-repository.ts';

/** The address to which a flow ends: its `redirect_uri` with the outcome in the query. */
export function addressOf({ redirectUri, source, outcome }: FlowEnd, integration: 'workspace' | 'mcp'): string {
  const url = new URL(redirectUri);
  url.searchParams.set('integration', integration);
  if (source !== null) url.searchParams.set('source', source);
  url.searchParams.set('status', outcome.status);
  if (outcome.status === 'error') url.searchParams.set('code', outcome.code);
  else {
    url.searchParams.set('account_id', outcome.account_id);
    if (outcome.missing_scopes.length > 0) url.searchParams.set('missing_scopes', outcome.missing_scopes.join(','));
  }
  return url.href;
}
