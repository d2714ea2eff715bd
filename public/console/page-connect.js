import { CLIENTS } from './page-client-lines.js';
import { byId, copyButton, element, run, show } from './page-dom.js';

const ADDRESS = `${location.origin}/mcp`;
/** Stands in the lines until a token is made. */
const PLACEHOLDER = 'stw_pat_…';

/** What to paste into a client, so that it can call the agents. */
export class ConnectPanel {
  #session;
  #result = byId('connect-client').querySelector('.result');
  #turn = 0;

  constructor(session) {
    this.#session = session;
    byId('client-address').replaceChildren(...lines(ADDRESS, 'the address'));
    const select = byId('client-kind');
    select.replaceChildren(...CLIENTS.map(({ name }, index) => element('option', { value: String(index) }, name)));
    select.addEventListener('change', () => this.clear());
    const form = byId('client-token');
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      run(form.querySelector('button'), this.#result, () => this.#make(byId('client-access').value));
    });
  }

  /** Shows the lines without a token: one was made for another client, or for another user. */
  clear() {
    this.#turn++;
    this.#result.replaceChildren();
    const { name, signIn } = this.#chosen;
    byId('client-sign-in').replaceChildren(...signIn(ADDRESS).map((step) => item(step, `${name} by sign-in`)));
    this.#showToken(PLACEHOLDER);
  }

  get #chosen() {
    return CLIENTS[Number(byId('client-kind').value)];
  }

  async #make(access) {
    const turn = ++this.#turn;
    const { name } = this.#chosen;
    const json = { name, actions: ['*'], access };
    const { token } = await this.#session.request('POST', '/tokens', { json });
    if (turn !== this.#turn) return;
    this.#showToken(token);
    show(this.#result, 'done', `The token “${name}” is in the lines below. Copy it now; it won’t be shown again.`);
  }

  #showToken(token) {
    const { name, withToken } = this.#chosen;
    byId('client-with-token').replaceChildren(...withToken(ADDRESS, token).map((step) => item(step, `${name} with a token`)));
  }
}

function item({ text, code }, what) {
  const block = code === undefined ? [] : [element('div', { className: 'lines' }, ...lines(code, what))];
  return element('li', {}, text, ...block);
}

function lines(code, what) {
  return [element('pre', { tabIndex: 0, 'aria-label': `Lines for ${what}` }, code), copyButton(code, what)];
}
