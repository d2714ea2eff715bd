import { parseCookie } from 'cookie';
import type { CookieOptions, Request, Response } from 'express';

/**
 * Name of a cookie. The prefix `__Host-` binds it to this host, https and the whole path (RFC 6265bis, 4.1.3.2);
 * browsers reject it on http, which only loopback uses.
 */
function nameFor(name: string, secure: boolean): string {
  return secure ? `__Host-${name}` : name;
}

/** The service's cookies: HttpOnly, SameSite=Lax, for the whole host. */
export class Cookies {
  readonly #secure: boolean;

  /** @param publicUrl {base_url}; https makes the cookies Secure */
  constructor(publicUrl: string) {
    this.#secure = publicUrl.startsWith('https:');
  }

  read(request: Request, name: string): string | undefined {
    return parseCookie(request.headers.cookie ?? '')[nameFor(name, this.#secure)];
  }

  set(response: Response, name: string, value: string, maxAgeSeconds: number): void {
    response.cookie(nameFor(name, this.#secure), value, { ...this.#attributes(), maxAge: maxAgeSeconds * 1000 });
  }

  #attributes(): CookieOptions {
    return { httpOnly: true, sameSite: 'lax', secure: this.#secure, path: '/' };
  }
}
