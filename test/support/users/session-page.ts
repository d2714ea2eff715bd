import type { FormBrowser } from '../browser/browser.ts';
import type { Service } from '../steward.ts';
import type { CallOptions, HttpResponse } from './request.ts';
import { sessionOf } from './sign-in.ts';
import { SocketClient } from './socket-client.ts';

const COOKIE = 'steward_session';

/** A page of the service's own origin, in a browser that is signed in. */
export class SessionPage {
  readonly #steward: Service;
  readonly #browser: FormBrowser;
  csrf: string;

  private constructor(steward: Service, browser: FormBrowser, csrf: string) {
    this.#steward = steward;
    this.#browser = browser;
    this.csrf = csrf;
  }

  /** @param browser with the session of another page: by default, a session of its own */
  static async open(steward: Service, token: string, browser?: FormBrowser): Promise<SessionPage> {
    const page = new SessionPage(steward, browser ?? (await sessionOf(steward, token)), '');
    const { session } = (await page.call('/auth/session')).body;
    page.csrf = session.csrf_token;
    return page;
  }

  get cookie(): string {
    return `${COOKIE}=${this.#browser.cookies.get(COOKIE)}`;
  }

  /** The headers that a browser adds to a request of this page's script. */
  get headers(): Record<string, string> {
    return { cookie: this.cookie, origin: this.#steward.url, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' };
  }

  /** A request of the page's script, with the CSRF token. */
  call(path: string, options: CallOptions = {}): Promise<HttpResponse> {
    const csrf = this.csrf === '' ? {} : { 'x-csrf-token': this.csrf };
    return this.#steward.call(path, { ...options, headers: { ...this.headers, ...csrf, ...options.headers } });
  }

  json(path: string, body: object): Promise<HttpResponse> {
    return this.call(path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
  }

  /** A socket that the page has opened, not authenticated yet. */
  socket(origin = this.#steward.url): Promise<SocketClient> {
    return SocketClient.open(this.#steward.url, { origin, headers: { cookie: this.cookie } });
  }

  /** An authenticated socket. */
  async signedIn(): Promise<SocketClient> {
    const client = await this.socket();
    const response = await client.present(this.csrf);
    if (response.type !== 'ready') throw new Error(`not signed in: ${JSON.stringify(response)}`);
    return client;
  }
}
