import { byId } from '../kit/dom.js';
import { call } from './page-request.js';

const POLL_MS = 3_000;
const STATES = { open: 'connected', connecting: 'connecting', waiting: 'not connected', closed: 'not signed in' };

/** Watches GET /test: environment and number of connections in the page's header. @returns `{poll}`, which looks now */
export function watchServer() {
  let timer;
  const poll = async () => {
    clearTimeout(timer);
    try {
      const { environment, connections } = await call('GET', '/test');
      set('environment', environment);
      set('connections', String(connections));
    } catch {
      set('connections', 'no response');
    }
    clearTimeout(timer);
    timer = setTimeout(poll, POLL_MS);
  };
  poll();
  return { poll };
}

/** Shows the state of the page's own connection, and a line above the view while there is none. @param client undefined: signed out */
export function showConnection(client) {
  let lost = false;
  const render = () => {
    const state = client?.state ?? 'closed';
    byId('socket').dataset.state = state === 'connecting' ? 'waiting' : state;
    set('socket', STATES[state]);
    lost = state === 'waiting' || (lost && state === 'connecting');
    byId('offline').hidden = !lost;
    set(
      'offline',
      lost ? 'Not connected to the server. What you see may be out of date, and nothing is sent until the connection is back.' : '',
    );
  };
  client?.addEventListener('state', render);
  render();
}

function set(id, text) {
  const node = byId(id);
  if (node.textContent !== text) node.textContent = text;
}
