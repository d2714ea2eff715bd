import { connection } from '../../language/en/connection.js';
import { byId } from '../kit/dom.js';
import { call } from './page-request.js';

const POLL_MS = 3_000;
/** A service that hangs closes nothing; a slow line takes some seconds for a response. */
const LATE_MS = 10_000;

/**
 * Watches GET /test: environment and number of connections in the page's header. Dispatches `change` when the service
 * answers no more, or again.
 */
export class Server extends EventTarget {
  #timer;
  #isReachable = true;

  constructor() {
    super();
    addEventListener('offline', () => this.#reached(false));
    addEventListener('online', () => this.poll());
    this.poll();
  }

  get isReachable() {
    return this.#isReachable;
  }

  /** Looks now. */
  async poll() {
    clearTimeout(this.#timer);
    const late = setTimeout(() => this.#silent(), LATE_MS);
    try {
      const { environment, connections } = await call('GET', '/test');
      set('environment', environment);
      set('connections', String(connections));
      this.#reached(true);
    } catch ({ code }) {
      set('connections', connection.noResponse);
      // An error is a response, too.
      this.#reached(code !== 'unreachable');
    }
    clearTimeout(late);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.poll(), POLL_MS);
  }

  #silent() {
    set('connections', connection.noResponse);
    this.#reached(false);
  }

  #reached(isReachable) {
    if (isReachable === this.#isReachable) return;
    this.#isReachable = isReachable;
    this.dispatchEvent(new Event('change'));
  }
}

/**
 * The connection of a signed-in user's page, in one state of its socket and of its requests: a browser that is offline may
 * leave the socket open. Dispatches `change`.
 */
export class Link extends EventTarget {
  #client;
  #server;
  #before;

  /** @param signal ends it */
  constructor(client, server, signal) {
    super();
    this.#client = client;
    this.#server = server;
    this.#before = this.state;
    const look = () => {
      if (this.state === this.#before) return;
      this.#before = this.state;
      this.dispatchEvent(new Event('change'));
    };
    client.addEventListener('state', look, { signal });
    server.addEventListener('change', look, { signal });
  }

  /** As of StewardClient: `closed`, `connecting`, `open`, or `waiting`: it was lost. */
  get state() {
    const { state } = this.#client;
    return state === 'open' && !this.#server.isReachable ? 'waiting' : state;
  }

  get isOpen() {
    return this.state === 'open';
  }

  /** Waits until it is open. @throws when `signal` is aborted before */
  opened(signal) {
    return new Promise((resolve, reject) => {
      const look = () => this.isOpen && resolve();
      this.addEventListener('change', look, { signal });
      signal.addEventListener('abort', () => reject(signal.reason));
      look();
    });
  }
}

/** Shows the state of the page's connection, and a line above the view while there is none. @param link undefined: signed out */
export function showConnection(link) {
  let lost = false;
  const render = () => {
    const state = link?.state ?? 'closed';
    byId('socket').dataset.state = state === 'connecting' ? 'waiting' : state;
    set('socket', connection.states[state]);
    lost = state === 'waiting' || (lost && state === 'connecting');
    byId('offline').hidden = !lost;
    set('offline', lost ? connection.lost : '');
  };
  link?.addEventListener('change', render);
  render();
}

function set(id, text) {
  const node = byId(id);
  if (node.textContent !== text) node.textContent = text;
}
