import { frame } from '../../language/en/frame.js';
import { call } from './page-request.js';
import { askToSignIn } from './page-sign-in-dialog.js';
import { onTabs, tellTabs } from './page-tabs.js';
import { forget, noteSignIn, wasCleared } from './page-traces.js';

/** Before the end of a session, when the user is told of it. */
const NOTICE_MS = 5 * 60 * 1000;
const ENDED = new Set([401, 403]);

/**
 * Whose session this browser has, as `GET /auth/session` says it; all tabs and Steward's other pages share it. This page
 * never has its secret.
 *
 * Dispatches `change` when another user is signed in, or none; `detail` has the `reason`, if there is one. `renewed` when the
 * same user has signed in again, and `ending` some minutes before the session ends.
 */
export class SignIn extends EventTarget {
  #session;
  #ways;
  #finding;
  #asking;
  #timers = [];

  constructor() {
    super();
    onTabs((what) => (what === 'signed-out' ? this.#leave(frame.signedOutElsewhere) : what === 'signed-in' && this.follow()));
    addEventListener('focus', () => this.follow());
  }

  /** `{user, csrf_token, signed_in_at, expires_at, operator}`; undefined: nobody is signed in. */
  get session() {
    return this.#session;
  }

  /** How one signs in: `{url, sandbox, token}`. */
  get ways() {
    return this.#ways;
  }

  get csrf() {
    return this.#session?.csrf_token;
  }

  /** Looks whose session it is at first. @throws Failure */
  async begin() {
    this.#session = await this.#find();
    this.#schedule();
    this.#announce('change');
  }

  /** Begins a session. @throws Failure when the service rejects the ID token, of which nothing is kept */
  async signIn(idToken) {
    await call('POST', '/auth/session', { token: idToken });
    tellTabs('signed-in');
    await this.#finding?.catch(() => {});
    this.#become(await this.#find());
  }

  /** Ends the session, in all tabs. @throws Failure: it has not ended */
  async signOut(reason) {
    try {
      await call('DELETE', '/auth/session', { csrf: this.csrf });
    } catch (error) {
      // The browser has another session by now, which the button was not about.
      if (error.status === 403) return this.look();
      if (error.status !== 401) throw error;
    }
    tellTabs('signed-out');
    this.#leave(reason);
  }

  /**
   * Whether a failed request can be sent again: the user has signed in again, here and now or in another tab.
   *
   * @param csrf with which it was sent
   */
  async mends({ status, code }, csrf) {
    if (code === 'recent_login_required') return this.again('recent');
    if (!ENDED.has(status)) return false;
    if (csrf === this.csrf) await this.look();
    return this.csrf !== undefined && this.csrf !== csrf;
  }

  /** Follows what the browser's session is now; asks the user, if it has ended by itself. @throws Failure */
  async look() {
    const found = await this.#find();
    if (found !== undefined || this.#session === undefined) this.#become(found);
    else if (wasCleared()) this.#leave(frame.signedOutElsewhere);
    else await this.again('ended');
  }

  /**
   * Lets the user sign in again, over the page.
   *
   * @param why `ended`, `ending` or `recent`: something requires it
   * @returns whether the same user has
   */
  again(why) {
    this.#asking ??= this.#ask(why).finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(why) {
    const { user } = this.#session;
    const isDone = await askToSignIn(this, why);
    if (!isDone && why === 'ended') this.#end(frame.ended);
    return isDone && this.#session?.user.key === user.key;
  }

  /** The same, where nobody waits: without an answer, nothing has changed. */
  follow() {
    this.look().catch(() => {});
  }

  #find() {
    this.#finding ??= call('GET', '/auth/session')
      .then(({ session, sign_in: ways }) => {
        this.#ways = ways;
        return session ?? undefined;
      })
      .finally(() => {
        this.#finding = undefined;
      });
    return this.#finding;
  }

  #become(found) {
    const before = this.#session;
    this.#session = found;
    this.#schedule();
    if (found?.user.key !== before?.user.key) this.#announce('change', before && found && frame.anotherUser(found.user.label));
    else if (found?.csrf_token !== before?.csrf_token) this.#announce('renewed');
  }

  /** The user has signed out. */
  #leave(reason) {
    if (this.#session !== undefined) forget(this.#session.user);
    this.#end(reason);
  }

  #end(reason) {
    if (this.#session === undefined) return;
    this.#session = undefined;
    this.#schedule();
    this.#announce('change', reason);
  }

  #schedule() {
    for (const timer of this.#timers) clearTimeout(timer);
    if (this.#session === undefined) return;
    noteSignIn();
    const left = Date.parse(this.#session.expires_at) - Date.now();
    this.#timers = [
      setTimeout(() => this.#announce('ending'), Math.max(left - NOTICE_MS, 0)),
      setTimeout(() => this.follow(), Math.max(left, 0)),
    ];
  }

  #announce(name, reason) {
    this.dispatchEvent(new CustomEvent(name, { detail: { reason } }));
  }
}
