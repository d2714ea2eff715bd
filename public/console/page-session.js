import { call, Failure } from './page-request.js';

const STORED = 'steward.id_token';
/** Longest delay that a timer takes, milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1;
const EXPIRED = 'Your sign-in has expired. Sign in again.';

/**
 * The signed-in user. The ID token is kept in memory, and in sessionStorage so that it survives the redirect to the
 * provider; never in a URL. Dispatches `change` with `detail.reason`: a message if the session ended for a reason.
 */
export class Session extends EventTarget {
  #token;
  #timer;

  get token() {
    return this.#token;
  }

  /** Name and expiry from the token, for display only: the server verifies the token. */
  get claims() {
    return readClaims(this.#token);
  }

  /** Restores the session of this tab, if there is one. */
  restore() {
    const stored = sessionStorage.getItem(STORED);
    if (stored !== null) this.#begin(stored);
    else this.#announce();
  }

  /** @throws Failure when the server rejects the token */
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
   * Calls the service as the signed-in user. A rejected token ends the session.
   *
   * @param content the request's `form` or `json`
   * @throws Failure
   */
  async request(method, path, content) {
    const token = this.#token;
    try {
      const body = await call(method, path, { token, ...content });
      if (token === this.#token) return body;
    } catch (error) {
      if (token === this.#token && error.status !== 401) throw error;
      if (token === this.#token) this.signOut(error.code === 'token_expired' ? EXPIRED : `${error.message} Sign in again.`);
    }
    // The response belongs to a user who has signed out.
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
    return { label: [name, email].filter(Boolean).join(', ') || sub || 'unknown user', exp: Number.isFinite(exp) ? exp : undefined };
  } catch {
    return { label: 'unknown user', exp: undefined };
  }
}
