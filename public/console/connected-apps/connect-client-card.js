import { connectApp as texts } from '../../language/en/apps.js';
import { button, copyButton } from '../kit/button.js';
import { card } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { run, show } from '../kit/feedback.js';
import { field } from '../kit/field.js';
import { CLIENTS } from './page-client-lines.js';

const ADDRESS = `${location.origin}/mcp`;
/** Stands in the lines until a token is made. */
const PLACEHOLDER = 'stw_pat_…';

/** What to paste into a client, so that it can call the agents. */
export function connectClientCard(session) {
  return new ConnectClient(session).card;
}

class ConnectClient {
  #session;
  #kind = element('select', { id: 'client-kind' });
  #signIn = element('ol', { className: 'steps', id: 'client-sign-in' });
  #withToken = element('ol', { className: 'steps', id: 'client-with-token' });
  #result = element('div', { className: 'result', role: 'status' });
  #turn = 0;

  constructor(session) {
    this.#session = session;
    this.#kind.append(...CLIENTS.map(({ name }, index) => element('option', { value: String(index) }, name)));
    this.#kind.addEventListener('change', () => this.#show());
    this.card = card(
      { id: 'connect-client', title: texts.title, about: texts.about },
      element('div', { className: 'lines', id: 'client-address' }, ...lines(ADDRESS, texts.address)),
      field(texts.app, this.#kind),
      element('div', { className: 'columns-2' }, this.#bySignIn(), this.#byToken()),
    );
    this.#show();
  }

  #bySignIn() {
    return element('div', {}, element('h3', {}, texts.signIn), element('p', { className: 'muted' }, texts.signInAbout), this.#signIn);
  }

  #byToken() {
    const access = accessSelect('client-access');
    const make = button(texts.make, { type: 'submit' });
    const form = element('form', { className: 'row' }, field(texts.access, access), make);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      run(make, this.#session.fail, () => this.#make(access.value));
    });
    return element(
      'div',
      {},
      element('h3', {}, texts.token),
      element('p', { className: 'muted' }, texts.tokenAbout),
      form,
      this.#result,
      this.#withToken,
    );
  }

  get #chosen() {
    return CLIENTS[Number(this.#kind.value)];
  }

  /** Shows the lines without a token: one was made for another client. */
  #show() {
    this.#turn++;
    this.#result.replaceChildren();
    const { name, signIn } = this.#chosen;
    this.#signIn.replaceChildren(...signIn(ADDRESS).map((step) => item(step, texts.bySignIn(name))));
    this.#showToken(PLACEHOLDER);
  }

  async #make(access) {
    const turn = ++this.#turn;
    const { name } = this.#chosen;
    const { token } = await this.#session.request('POST', '/tokens', { json: { name, actions: ['*'], access } });
    if (turn !== this.#turn) return;
    this.#showToken(token);
    show(this.#result, 'done', texts.made(name));
  }

  #showToken(token) {
    const { name, withToken } = this.#chosen;
    this.#withToken.replaceChildren(...withToken(ADDRESS, token).map((step) => item(step, texts.withToken(name))));
  }
}

/** What a token may do. */
export function accessSelect(id) {
  return element(
    'select',
    { id, name: 'access' },
    ...Object.entries(texts.accesses).map(([value, text]) => element('option', { value }, text)),
  );
}

function item({ text, code }, what) {
  const block = code === undefined ? [] : [element('div', { className: 'lines' }, ...lines(code, what))];
  return element('li', {}, text, ...block);
}

function lines(code, what) {
  return [element('pre', { tabIndex: 0, 'aria-label': texts.lines(what) }, code), copyButton(code, what)];
}
