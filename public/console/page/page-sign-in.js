import { byId } from '../kit/dom.js';
import { onSubmit, run, showError } from '../kit/feedback.js';
import { call } from './page-request.js';

const STORED = 'steward.id_token';
/** Longest delay that a timer takes, milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1;
export const EXPIRED = 'Your sign-in has expired. Sign in again.';

/**
 * The ID token of the signed-in user. It is kept in memory, and in sessionStorage so that it survives the redirect to the
 * provider; never in a URL. Dispatches `change` with `detail.reason`: a message if the sign-in ended for a reason.
 */
export class SignIn extends EventTarget {
  #token;
  #timer;

  get token() {
    return this.#token;
  }

  /** Who signed in and until when, from the token; for display only: the server verifies the token. */
  get claims() {
    return readClaims(this.#token);
  }

  /** Restores the sign-in of this tab, if there is one. */
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

/** The forms of the sign-in view. */
export function signInForms(signIn) {
  const result = byId('sign-in-result');
  const failed = (error) => showError(result, error);
  const use = async (token) => {
    await signIn.signIn(token);
    result.replaceChildren();
  };
  const signInAs = async (user) => {
    const { id_token: token } = await call('POST', '/sandbox/identity/token', { form: { user } });
    await use(token);
  };
  for (const button of document.querySelectorAll('[data-user]')) {
    button.addEventListener('click', () => run(button, failed, () => signInAs(button.dataset.user)));
  }
  onSubmit(byId('user-form'), failed, ({ user }) => signInAs(user));
  onSubmit(byId('token-form'), failed, ({ token }) => use(token.trim()));
}

/** Whether the sandbox runs, whose users need no password. */
export async function hasSandbox() {
  const response = await fetch('/sandbox/identity/.well-known/openid-configuration').catch(() => undefined);
  return response?.ok === true;
}

function readClaims(token) {
  try {
    const payload = token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0));
    const { name, email, sub, iss, exp } = JSON.parse(new TextDecoder().decode(bytes));
    return {
      label: [name, email].filter(Boolean).join(', ') || sub || 'unknown user',
      email,
      key: `${iss} ${sub}`,
      exp: Number.isFinite(exp) ? exp : undefined,
    };
  } catch {
    return { label: 'unknown user', email: undefined, key: '', exp: undefined };
  }
}
