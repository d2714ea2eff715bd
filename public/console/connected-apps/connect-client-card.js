import { button, copyButton } from '../kit/button.js';
import { card } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { run, show } from '../kit/feedback.js';
import { field } from '../kit/field.js';
import { CLIENTS } from './page-client-lines.js';

const ADDRESS = `${location.origin}/mcp`;
/** Stands in the lines until a token is made. */
const PLACEHOLDER = 'stw_pat_…';
const BY_TOKEN =
  'The token may call all actions on all accounts for 90 days; below, you can make one that may do less. Making one requires a sign-in within the last five minutes.';

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
    const about = 'Assistants call the actions as tools of the Model Context Protocol, at this address:';
    this.card = card(
      { id: 'connect-client', title: 'Connect an app', about },
      element('div', { className: 'lines', id: 'client-address' }, ...lines(ADDRESS, 'the address')),
      field('Client', this.#kind),
      element('div', { className: 'columns-2' }, this.#bySignIn(), this.#byToken()),
    );
    this.#show();
  }

  #bySignIn() {
    const about = 'The app opens a browser. You sign in there and choose what it may do.';
    return element('div', {}, element('h3', {}, 'By sign-in'), element('p', { className: 'muted' }, about), this.#signIn);
  }

  #byToken() {
    const access = accessSelect('client-access');
    const make = button('Make a token for it', { type: 'submit' });
    const form = element('form', { className: 'row' }, field('Access', access), make);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      run(make, this.#session.fail, () => this.#make(access.value));
    });
    return element(
      'div',
      {},
      element('h3', {}, 'With a token'),
      element('p', { className: 'muted' }, BY_TOKEN),
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
    this.#signIn.replaceChildren(...signIn(ADDRESS).map((step) => item(step, `${name} by sign-in`)));
    this.#showToken(PLACEHOLDER);
  }

  async #make(access) {
    const turn = ++this.#turn;
    const { name } = this.#chosen;
    const { token } = await this.#session.request('POST', '/tokens', { json: { name, actions: ['*'], access } });
    if (turn !== this.#turn) return;
    this.#showToken(token);
    show(this.#result, 'done', `The token “${name}” is in the lines below. Copy it now; it won’t be shown again.`);
  }

  #showToken(token) {
    const { name, withToken } = this.#chosen;
    this.#withToken.replaceChildren(...withToken(ADDRESS, token).map((step) => item(step, `${name} with a token`)));
  }
}

/** What a token may do. */
export function accessSelect(id) {
  const options = [
    ['read', 'Read only'],
    ['write', 'Read and write'],
  ];
  return element('select', { id, name: 'access' }, ...options.map(([value, text]) => element('option', { value }, text)));
}

function item({ text, code }, what) {
  const block = code === undefined ? [] : [element('div', { className: 'lines' }, ...lines(code, what))];
  return element('li', {}, text, ...block);
}

function lines(code, what) {
  return [element('pre', { tabIndex: 0, 'aria-label': `Lines for ${what}` }, code), copyButton(code, what)];
}
