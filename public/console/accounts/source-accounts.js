import { access, accounts, sources as texts } from '../../language/en/accounts.js';
import { button } from '../kit/button.js';
import { tag } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { run } from '../kit/feedback.js';
import { linkTo } from '../page/page-address.js';
import { connectSource } from '../page/page-flow.js';
import { reconnect } from './account-access.js';
import { AccountList } from './account-list.js';
import { showTools } from './source-tools.js';

/** The connections to other people's servers. The card is there if the operator offers one, or one is connected. */
export class SourceAccounts extends AccountList {
  constructor(session) {
    super(session, {
      provider: 'sources',
      path: '/auth/sources/accounts',
      title: texts.title,
      about: texts.about,
      empty: texts.none,
    });
    const offers = element('p', { className: 'row' });
    this.card.append(offers);
    this.card.hidden = true;
    session.accounts.watch(({ sources, offered }) => {
      this.card.hidden = sources.length === 0 && offered.length === 0;
      offers.replaceChildren(...offered.map((source) => this.#offer(source)));
    });
    this.showItems();
  }

  item(account) {
    const { id, label, status, tools } = account;
    return element(
      'li',
      { className: 'entry', 'data-entry': id },
      element('span', { className: 'portrait', 'aria-hidden': 'true' }, label.charAt(0).toUpperCase()),
      element(
        'div',
        {},
        element(
          'h3',
          {},
          element('a', { href: linkTo('accounts', id) }, label),
          account.default && this.#isOneOfSeveral(account) ? tag('good', texts.default) : undefined,
          status === 'active' ? undefined : tag('attention', texts.ended),
          tools.held > 0 ? tag('attention', texts.held(tools.held)) : undefined,
          account.readOnly === undefined ? undefined : tag('', access.readOnly),
        ),
        element('p', { className: 'detail' }, this.#about(account)),
      ),
      element('div', { className: 'actions' }, ...this.#actions(account)),
    );
  }

  #about({ source, host, tools, listed_at: listedAt }) {
    const { trust } = this.session.accounts.value.offered.find(({ name }) => name === source) ?? {};
    const said = [host, listedAt === null ? texts.reading : texts.allowed(tools.allowed)];
    return [...said, ...(trust === 'operator' ? [texts.answeredFor] : [])].join(' · ');
  }

  #actions(account) {
    const { id, label, status } = account;
    const subpath = encodeURIComponent(id);
    const isOther = !account.default && this.#isOneOfSeveral(account);
    return [
      status === 'active' ? undefined : this.button(accounts.reconnect, label, () => reconnect(this.session, account), 'primary'),
      this.button(texts.tools, label, () => showTools(this.session, account)),
      isOther ? this.button(texts.makeDefault, label, () => this.change('POST', `${subpath}/default`, texts.isDefault(label))) : undefined,
      this.readOnlyButton(account, label),
      this.disconnectButton(subpath, label, texts.disconnectMeans),
    ].filter((one) => one !== undefined);
  }

  #isOneOfSeveral({ source }) {
    return this.session.accounts.value.sources.filter((one) => one.source === source).length > 1;
  }

  #offer({ name, label }) {
    const isFirst = !this.session.accounts.value.sources.some(({ source }) => source === name);
    const node = button(texts.connect(label), { className: isFirst ? 'primary' : 'small' });
    node.addEventListener('click', () => run(node, this.session.fail, () => connectSource(this.session, name)));
    return node;
  }
}
