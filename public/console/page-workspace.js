import { AccountsPanel } from './page-accounts.js';
import { byId, element, onSubmit, show, tag } from './page-dom.js';

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

/** The card of the workspace accounts: list, connect, default, read-only, disconnect. */
export class WorkspacePanel extends AccountsPanel {
  constructor(session, onChange) {
    super({ id: 'workspace', path: '/auth/workspace/accounts', empty: 'No workspace account is connected yet.' }, session, onChange);
    onSubmit(byId('connect-form'), this.result, ({ email }) => this.#connect(email));
  }

  item(account) {
    const { email, name, status, missing_scopes: missing } = account;
    const incomplete = missing.length > 0;
    return element(
      'li',
      { className: 'entry' },
      portrait(account),
      element(
        'div',
        {},
        element(
          'h3',
          {},
          name || email,
          account.default ? tag('good', 'Default') : undefined,
          status === 'active' ? undefined : tag('attention', 'Reconnect required'),
          account.readOnly === undefined ? undefined : tag('', 'Read only'),
        ),
        element('p', { className: 'detail' }, email),
        incomplete ? element('p', { className: 'detail' }, `Missing permissions: ${missing.join(', ')}`) : undefined,
      ),
      element('div', { className: 'actions' }, ...this.#actions(account, incomplete || status !== 'active')),
    );
  }

  #actions(account, needsConsent) {
    const { id, email, default: isDefault } = account;
    const subpath = encodeURIComponent(id);
    return [
      needsConsent ? this.button('Reconnect', email, () => this.#connect(email)) : undefined,
      isDefault
        ? undefined
        : this.button('Make default', email, () => this.change('POST', `${subpath}/default`, `${email} is now the default.`)),
      this.readOnlyButton(account, email),
      this.disconnectButton(subpath, email, 'Agents lose access to it immediately, and access is revoked at the provider.'),
    ].filter((button) => button !== undefined);
  }

  /** Step 1 of the flow. The browser then goes to the provider and returns with the result in the query. */
  async #connect(email) {
    const form = { email, redirect_uri: `${location.origin}/` };
    const { login_url: loginUrl } = await this.session.request('POST', '/workspace_access_request', { form });
    location.assign(loginUrl);
  }
}

/** Shows the result of the flow from the query, and removes it from the URL. */
export function showFlowResult(region) {
  const url = new URL(location.href);
  const { integration, status, code, missing_scopes: missing } = Object.fromEntries(url.searchParams);
  if (integration !== 'workspace') return;
  for (const name of ['integration', 'status', 'code', 'account_id', 'missing_scopes']) url.searchParams.delete(name);
  history.replaceState(null, '', url);
  const scopes = (missing ?? '').split(',').filter((scope) => SCOPE_NAME.test(scope));
  if (status !== 'connected') show(region, 'error', RESULTS[code] ?? 'The account could not be connected.');
  else if (scopes.length === 0) show(region, 'done', 'The workspace account is connected.');
  else show(region, 'warning', `The workspace account is connected, without: ${scopes.join(', ')}.`);
}

function portrait({ name, email, picture }) {
  const initial = element('span', { className: 'portrait', 'aria-hidden': 'true' }, (name || email).charAt(0).toUpperCase());
  if (picture === '') return initial;
  const image = element('img', { className: 'portrait', alt: '', referrerPolicy: 'no-referrer', src: picture });
  image.addEventListener('error', () => image.replaceWith(initial), { once: true });
  return image;
}
