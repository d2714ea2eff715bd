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
      title: 'Workspace accounts',
      about:
        'Mail, calendar, documents, drive, spreadsheets and presentations. Assistants use the default account unless a call names another one.',
      empty: 'No workspace account is connected yet.',
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
          account.default ? tag('good', 'Default') : undefined,
          status === 'active' ? undefined : tag('attention', 'Reconnect required'),
          account.readOnly === undefined ? undefined : tag('', 'Read only'),
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
      needsConsent ? this.button('Reconnect', email, () => connectWorkspace(this.session, email), 'primary') : undefined,
      isDefault
        ? undefined
        : this.button('Make default', email, () => this.change('POST', `${subpath}/default`, `${email} is now the default.`)),
      this.readOnlyButton(account, email),
      this.disconnectButton(subpath, email, 'Assistants lose access to it immediately, and access is revoked at the provider.'),
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
      field('Email of the account', email),
      button('Connect', { type: 'submit', className: 'primary' }),
    );
    onSubmit(form, this.session.fail, (fields) => connectWorkspace(this.session, fields.email));
    return form;
  }

  /** One press connects an address of the sandbox. */
  #suggestions() {
    const suggested = SUGGESTED.map((address) => {
      const node = button(address, { className: 'small', 'aria-label': `Connect ${address}` });
      node.addEventListener('click', () => run(node, this.session.fail, () => connectWorkspace(this.session, address)));
      return { address, node };
    });
    const nodes = suggested.map(({ node }) => node);
    const line = element('p', { className: 'suggested' }, element('span', { className: 'muted' }, 'In the sandbox, try '), ...nodes);
    this.session.accounts.watch(({ workspace }) => {
      for (const { address, node } of suggested) node.hidden = workspace.some(({ email }) => email === address);
      line.hidden = nodes.every(({ hidden }) => hidden);
    });
    return line;
  }
}

/** The first letter: a picture from another host would tell it who looks at this page. */
function portrait({ name, email }) {
  return element('span', { className: 'portrait', 'aria-hidden': 'true' }, (name || email).charAt(0).toUpperCase());
}
