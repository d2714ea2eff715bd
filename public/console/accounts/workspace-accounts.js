import { access, accounts, workspace } from '../../language/en/accounts.js';
import { missingPermissions } from '../../language/en/permissions.js';
import { button } from '../kit/button.js';
import { tag } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { onSubmit, run } from '../kit/feedback.js';
import { field } from '../kit/field.js';
import { linkTo } from '../page/page-address.js';
import { connectWorkspace } from '../page/page-flow.js';
import { AccountList } from './account-list.js';

/** Accounts of the sandbox. */
const SUGGESTED = ['demo@example.com', 'demo.work@example.com'];

/** The workspace accounts. */
export class WorkspaceAccounts extends AccountList {
  constructor(session) {
    super(session, {
      provider: 'workspace',
      path: '/auth/workspace/accounts',
      title: workspace.title,
      about: workspace.about,
      empty: workspace.none,
    });
    this.card.append(this.#form(), ...(session.sandbox ? [this.#suggestions()] : []));
    this.showItems();
  }

  item(account) {
    const { id, email, name, status, missing_scopes: missing } = account;
    const incomplete = missing.length > 0;
    return element(
      'li',
      { className: 'entry', 'data-entry': id },
      portrait(account),
      element(
        'div',
        {},
        element(
          'h3',
          {},
          element('a', { href: linkTo('accounts', id) }, name || email),
          account.default ? tag('good', workspace.default) : undefined,
          status === 'active' ? undefined : tag('attention', workspace.ended),
          account.readOnly === undefined ? undefined : tag('', access.readOnly),
        ),
        element('p', { className: 'detail' }, email),
        incomplete ? element('p', { className: 'detail' }, missingPermissions(missing)) : undefined,
      ),
      element('div', { className: 'actions' }, ...this.#actions(account, incomplete || status !== 'active')),
    );
  }

  #actions(account, needsConsent) {
    const { id, email, default: isDefault } = account;
    const subpath = encodeURIComponent(id);
    return [
      needsConsent ? this.button(accounts.reconnect, email, () => connectWorkspace(this.session, email), 'primary') : undefined,
      isDefault
        ? undefined
        : this.button(workspace.makeDefault, email, () => this.change('POST', `${subpath}/default`, workspace.isDefault(email))),
      this.readOnlyButton(account, email),
      this.disconnectButton(subpath, email, workspace.disconnectMeans),
    ].filter((one) => one !== undefined);
  }

  #form() {
    const email = element('input', {
      id: 'connect-email',
      name: 'email',
      type: 'email',
      required: true,
      maxLength: 254,
      autocomplete: 'email',
      placeholder: 'you@example.com',
    });
    const form = element(
      'form',
      { className: 'row' },
      field(workspace.address, email),
      button(workspace.connect, { type: 'submit', className: 'primary' }),
    );
    onSubmit(form, this.session.fail, (fields) => connectWorkspace(this.session, fields.email));
    return form;
  }

  /** One press connects an address of the sandbox. */
  #suggestions() {
    const suggested = SUGGESTED.map((address) => {
      const node = button(address, { className: 'small', 'aria-label': workspace.connectAddress(address) });
      node.addEventListener('click', () => run(node, this.session.fail, () => connectWorkspace(this.session, address)));
      return { address, node };
    });
    const nodes = suggested.map(({ node }) => node);
    const line = element('p', { className: 'suggested' }, element('span', { className: 'muted' }, workspace.inSandbox), ...nodes);
    this.session.accounts.watch(({ workspace: connected }) => {
      for (const { address, node } of suggested) node.hidden = connected.some(({ email }) => email === address);
      line.hidden = nodes.every(({ hidden }) => hidden);
    });
    return line;
  }
}

/** The first letter: a picture from another host would tell it who looks at this page. */
function portrait({ name, email }) {
  return element('span', { className: 'portrait', 'aria-hidden': 'true' }, (name || email).charAt(0).toUpperCase());
}
