import { parseCookie } from 'cookie';
import type { Request, Response } from 'express';

/** The service's cookies: HttpOnly, SameSite=Lax unless a form of another site has to send one, for the whole host. */
export class Cookies {
  readonly #secure: boolean;
  /**
   * Before each name. `__Host-` binds a cookie to this host, https and the whole path (RFC 6265bis, 4.1.3.2); browsers
   * reject it on http, which only loopback uses.
   */
  readonly #prefix: string;

  /** @param publicUrl {base_url}; https makes the cookies Secure */
  constructor(publicUrl: string) {
    this.#secure = publicUrl.startsWith('https:');
    this.#prefix = this.#secure ? '__Host-' : '';
  }

  read(request: Pick<Request, 'headers'>, name: string): string | undefined {
    return parseCookie(request.headers.cookie ?? '')[this.#prefix + name];
  }

  /** The names of a request's cookies, in the browser's order. */
  names(request: Request): string[] {
    const names = Object.keys(parseCookie(request.headers.cookie ?? '')).filter((name) => name.startsWith(this.#prefix));
    return names.map((name) => name.slice(this.#prefix.length));
  }

  set(response: Response, name: string, value: string, maxAgeSeconds: number): void {
    this.#set(response, name, value, maxAgeSeconds, 'lax');
  }

  /** A cookie that a form posted from another site sends, too; browsers require https for it, so on loopback it is Lax. */
  setForAllSites(response: Response, name: string, value: string, maxAgeSeconds: number): void {
    this.#set(response, name, value, maxAgeSeconds, this.#secure ? 'none' : 'lax');
  }

  clear(response: Response, name: string): void {
    this.#set(response, name, '', 0, 'lax');
  }

  #set(response: Response, name: string, value: string, maxAgeSeconds: number, sameSite: 'lax' | 'none'): void {
    const attributes = { httpOnly: true, sameSite, secure: this.#secure, path: '/' } as const;
    response.cookie(this.#prefix + name, value, { ...attributes, maxAge: maxAgeSeconds * 1000 });
  }
}
