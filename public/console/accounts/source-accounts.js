import { access, accounts, sources as texts } from '../../language/en/accounts.js';
import { reasonOf } from '../../language/en/failures.js';
import { button } from '../kit/button.js';
import { tag } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { run } from '../kit/feedback.js';
import { linkTo } from '../page/page-address.js';
import { connectSource } from '../page/page-flow.js';
import { visibleText } from '../page/page-text.js';
import { reconnect, wordsOf } from './account-access.js';
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
    const offers = element('p', { className: 'row middle' });
    this.card.append(offers);
    this.card.hidden = true;
    session.accounts.watch(({ sources, offered }) => {
      this.card.hidden = sources.length === 0 && offered.length === 0;
      offers.replaceChildren(...offered.map((source) => this.#offer(source)));
    });
    this.showItems();
  }

  item(account) {
    const { id, label, tools, missing_scopes: missing } = account;
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
          needsReconnecting(account) ? tag('attention', texts.ended) : undefined,
          tools.held > 0 ? tag('attention', texts.held(tools.held)) : undefined,
          account.readOnly === undefined ? undefined : tag('', access.readOnly),
        ),
        element('p', { className: 'detail' }, this.#about(account)),
        missing.length > 0 ? element('p', { className: 'detail' }, visibleText(wordsOf(account, 'missing_scopes'))) : undefined,
      ),
      element('div', { className: 'actions' }, ...this.#actions(account)),
    );
  }

  #about({ source, host, tools, listed_at: listedAt, list_error: error, missing_scopes: missing }) {
    const { trust } = this.session.accounts.value.offered.find(({ name }) => name === source) ?? {};
    const read = listedAt === null ? [] : [texts.allowed(tools.allowed)];
    const reading = error === null ? [texts.reading] : [];
    const unread = error === null || missing.length > 0 ? [] : [texts.unread(texts.problems[error] ?? reasonOf(error))];
    const said = [host, ...(listedAt === null ? reading : read), ...unread];
    return [...said, ...(trust === 'operator' ? [texts.answeredFor] : [])].join(' · ');
  }

  #actions(account) {
    const { id, label } = account;
    const subpath = encodeURIComponent(id);
    const isOther = !account.default && this.#isOneOfSeveral(account);
    return [
      needsReconnecting(account) ? this.button(accounts.reconnect, label, () => reconnect(this.session, account), 'primary') : undefined,
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
    const node = button((isFirst ? texts.connect : texts.connectAnother)(label), { className: isFirst ? 'primary' : 'small' });
    node.addEventListener('click', () => run(node, this.session.fail, () => connectSource(this.session, name)));
    return node;
  }
}

/** Its access has ended, or its server wants more than it was given. */
const needsReconnecting = ({ status, missing_scopes: missing }) => status !== 'active' || missing.length > 0;
