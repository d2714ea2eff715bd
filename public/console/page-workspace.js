import { byId, confirmed, element, onSubmit, replaceItems, run, show } from './page-dom.js';

/** What the outcome codes of the connect flow mean; any other code in the address is not repeated to the person. */
const OUTCOMES = {
  access_denied: 'Access was declined, so nothing was connected.',
  account_mismatch: 'Another account than the one asked for was chosen, so nothing was connected.',
  expired: 'Connecting took too long. Start again.',
  no_refresh_token: 'The provider gave no lasting access. Remove Steward from the account’s connected apps and start again.',
  missing_scopes: 'Too little was allowed: at least the e-mail address is needed.',
  provider_error: 'The provider did not answer as expected. Try again later.',
};
const SCOPE_NAME = /^[a-z.]{1,40}$/;

/** The card of the workspace accounts: list, connect, default, disconnect. */
export class WorkspacePanel {
  #session;
  #onChange;
  #card = byId('workspace');
  #outcome = this.#card.querySelector('.outcome');
  #turn = 0;

  constructor(session, onChange) {
    this.#session = session;
    this.#onChange = onChange;
    onSubmit(byId('connect-form'), this.#outcome, ({ email }) => this.#connect(email));
  }

  async refresh() {
    const turn = ++this.#turn;
    const { accounts } = await this.#session.request('GET', '/auth/workspace/accounts');
    // A slower, older answer must not replace a newer one.
    if (turn === this.#turn) this.#render(accounts);
  }

  clear() {
    this.#turn++;
    this.#outcome.replaceChildren();
    this.#card.querySelector('.entries').replaceChildren();
  }

  #render(accounts) {
    const items = accounts.map((account) => this.#entry(account));
    const empty = element('li', { className: 'empty' }, 'No workspace account is connected yet.');
    replaceItems(this.#card.querySelector('.entries'), byId('workspace-title'), items.length > 0 ? items : [empty]);
  }

  #entry(account) {
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
          status === 'active' ? undefined : tag('attention', 'Sign in again'),
        ),
        element('p', { className: 'detail' }, email),
        incomplete ? element('p', { className: 'detail' }, `Not allowed: ${missing.join(', ')}`) : undefined,
      ),
      element('div', { className: 'actions' }, ...this.#actions(account, incomplete || status !== 'active')),
    );
  }

  #actions({ id, email, default: isDefault }, needsConsent) {
    const path = `/auth/workspace/accounts/${encodeURIComponent(id)}`;
    return [
      needsConsent ? this.#button('Connect again', email, () => this.#connect(email)) : undefined,
      isDefault
        ? undefined
        : this.#button('Make default', email, () => this.#change('POST', `${path}/default`, `${email} is the default now.`)),
      this.#button('Disconnect', email, async () => {
        const question = {
          title: `Disconnect ${email}?`,
          text: 'Agents can’t use it any more, and the provider is told to revoke the access.',
          yes: 'Disconnect',
        };
        if (await confirmed(question)) await this.#change('DELETE', path, `${email} is disconnected.`);
      }),
    ].filter((button) => button !== undefined);
  }

  #button(label, email, action) {
    const button = element('button', { className: 'button', type: 'button', 'aria-label': `${label}: ${email}` }, label);
    button.addEventListener('click', () => run(button, this.#outcome, action));
    return button;
  }

  async #change(method, path, done) {
    await this.#session.request(method, path);
    show(this.#outcome, 'done', done);
    await this.#onChange();
  }

  /** Step 1 of the flow; the browser then leaves for the provider and comes back with the outcome in the address. */
  async #connect(email) {
    const form = { email, redirect_uri: `${location.origin}/` };
    const { login_url: loginUrl } = await this.#session.request('POST', '/workspace_access_request', form);
    location.assign(loginUrl);
  }
}

/** Shows the outcome that the flow left in the address, and takes it out of there. */
export function showFlowOutcome(region) {
  const url = new URL(location.href);
  const { integration, status, code, missing_scopes: missing } = Object.fromEntries(url.searchParams);
  if (integration !== 'workspace') return;
  for (const name of ['integration', 'status', 'code', 'account_id', 'missing_scopes']) url.searchParams.delete(name);
  history.replaceState(null, '', url);
  const scopes = (missing ?? '').split(',').filter((scope) => SCOPE_NAME.test(scope));
  if (status !== 'connected') show(region, 'error', OUTCOMES[code] ?? 'The account could not be connected.');
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

function tag(kind, text) {
  return element('span', { className: `tag ${kind}` }, text);
}
