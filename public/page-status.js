import { byId } from './page-dom.js';
import { call } from './page-request.js';

const POLL_MS = 3_000;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;
/** The socket's close code for a token that is refused or over. */
const AUTHENTICATION = 4401;

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
      set('connections', 'no answer');
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.poll(), POLL_MS);
  }
}

/**
 * Keeps a WebSocket open while somebody is signed in. The token goes in the first frame, since
 * an address would end in logs. A lost connection is tried again, ever more slowly.
 */
export class LiveConnection {
  #socket;
  #timer;
  #delay = FIRST_RETRY_MS;
  #options;

  /** @param options.onEvent called for every event the server pushes; @param options.onChange after connecting and closing */
  constructor(options) {
    this.#options = options;
  }

  open(token) {
    this.close();
    setState('waiting', 'connecting');
    const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/ws`);
    this.#socket = socket;
    socket.addEventListener('open', () => socket.send(JSON.stringify({ type: 'authenticate', requestId: '1', token })));
    socket.addEventListener('message', ({ data }) => this.#receive(socket, data));
    socket.addEventListener('close', ({ code }) => this.#closed(socket, token, code));
  }

  close() {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = undefined;
    this.#delay = FIRST_RETRY_MS;
    socket?.close();
    setState('off', 'not signed in');
  }

  #receive(socket, data) {
    if (socket !== this.#socket) return;
    const frame = JSON.parse(data);
    if (frame.type === 'event') this.#options.onEvent(frame.event);
    if (frame.type !== 'ready') return;
    this.#delay = FIRST_RETRY_MS;
    setState('open', 'connected');
    this.#options.onChange();
  }

  #closed(socket, token, code) {
    this.#options.onChange();
    if (socket !== this.#socket) return;
    setState('off', 'not signed in');
    // A refused token stays refused; the next request tells why.
    if (code === AUTHENTICATION) return;
    const delay = this.#delay;
    this.#timer = setTimeout(() => this.#again(token, delay), delay);
  }

  #again(token, delay) {
    this.open(token);
    this.#delay = Math.min(delay * 2, LONGEST_RETRY_MS);
  }
}

function setState(state, text) {
  byId('socket').dataset.state = state;
  set('socket', text);
}

function set(id, text) {
  const node = byId(id);
  if (node.textContent !== text) node.textContent = text;
}
