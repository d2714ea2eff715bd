import { byId } from './page-dom.js';
import { call } from './page-request.js';

const POLL_MS = 3_000;

/** Watches GET /test: environment and connection count in the page's header. */
export class ServerWatch {
  #timer;

  async poll() {
    clearTimeout(this.#timer);
    try {
      const { environment, connections } = await call('GET', '/test');
      set('environment', environment);
      set('connections', String(connections));
    } catch {
      set('connections', 'no response');
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.poll(), POLL_MS);
  }
}

const STATES = { open: 'connected', connecting: 'connecting', waiting: 'connecting', closed: 'not signed in' };

/** Shows the state of the page's own connection in the header. */
export function showConnection(client) {
  const render = () => {
    byId('socket').dataset.state = client.state === 'connecting' ? 'waiting' : client.state;
    set('socket', STATES[client.state]);
  };
  client.addEventListener('state', render);
  render();
}

function set(id, text) {
  const node = byId(id);
  if (node.textContent !== text) node.textContent = text;
}
