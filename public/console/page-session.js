import { call, Failure } from './page-request.js';

const STORED = 'steward.id_token';
/** Longest delay that a timer takes, milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1;
const EXPIRED = 'Your sign-in has expired. Sign in again.';

/**
 * Who is signed in. The ID token lives in memory, and in sessionStorage so that it survives the way
 * to the provider and back; never in an address. Dispatches `change` with `detail.reason`: why a sign-in ended, if there is something to say.
 */
export class Session extends EventTarget {
  #token;
  #timer;

  get token() {
    return this.#token;
  }

  /** The name to greet with and the end of the token, for show only: the server is the one who verifies. */
  get claims() {
    return readClaims(this.#token);
  }

  /** Takes up the sign-in of this tab, if there is one. */
  restore() {
    const stored = sessionStorage.getItem(STORED);
    if (stored !== null) this.#begin(stored);
    else this.#announce();
  }

  /** @throws Failure when the server refuses the token */
  async signIn(token) {
    await call('GET', '/integrations', { token });
    sessionStorage.setItem(STORED, token);
    this.#begin(token);
  }

  signOut(reason) {
    clearTimeout(this.#timer);
    sessionStorage.removeItem(STORED);
    this.#token = undefined;
    this.#announce(reason);
  }

  /**
   * Calls the service as the one who is signed in; a refused token ends the sign-in.
   *
   * @throws Failure
   */
  async request(method, path, form) {
    const token = this.#token;
    try {
      const answer = await call(method, path, { token, form });
      if (token === this.#token) return answer;
    } catch (error) {
      if (token === this.#token && error.status !== 401) throw error;
      if (token === this.#token) this.signOut(error.code === 'token_expired' ? EXPIRED : `${error.message} Sign in again.`);
    }
    // An answer for somebody who is no longer here.
    throw new Failure('You are no longer signed in.', { code: 'superseded', status: 0, superseded: true });
  }

  #begin(token) {
    const { exp } = readClaims(token);
    const left = exp === undefined ? LONGEST_TIMER : exp * 1000 - Date.now();
    if (left <= 0) {
      this.signOut(EXPIRED);
      return;
    }
    this.#token = token;
    this.#timer = setTimeout(() => this.signOut(EXPIRED), Math.min(left, LONGEST_TIMER));
    this.#announce();
  }

  #announce(reason) {
    this.dispatchEvent(new CustomEvent('change', { detail: { reason } }));
  }
}

function readClaims(token) {
  try {
    const payload = token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0));
    const { name, email, sub, exp } = JSON.parse(new TextDecoder().decode(bytes));
    return { label: [name, email].filter(Boolean).join(', ') || sub || 'somebody', exp: Number.isFinite(exp) ? exp : undefined };
  } catch {
    return { label: 'somebody', exp: undefined };
  }
}
