import { isLoopback } from './config.ts';

/** In the form of RFC 3986, 3: browsers also read backslashes, and pass over line breaks. */
const ADDRESS = /^https?:\/\/[^\s\\]+$/i;

/** Collects the problems of the environment, so that one message lists them all. */
export class Problems {
  readonly found: string[] = [];
  readonly production: boolean;

  constructor(production: boolean) {
    this.production = production;
  }

  add(variable: string, problem: string): void {
    this.found.push(`${variable}: ${problem}`);
  }

  /**
   * Checks an http(s) address without credentials or fragment; https in production unless it is loopback.
   *
   * @returns the address without trailing slashes
   */
  address(variable: string, value: string): string {
    const url = this.#parse(variable, value);
    if (url !== null && (url.username !== '' || url.password !== '' || url.hash !== '')) {
      this.add(variable, 'must not contain credentials or a fragment');
    }
    return withoutTrailingSlashes(value);
  }

  /**
   * Checks an http(s) address that is only scheme, host and port; https in production unless it is loopback.
   *
   * @returns the origin as browsers write it (HTML, "ASCII serialization of an origin")
   */
  origin(variable: string, value: string): string {
    const url = this.#parse(variable, value);
    if (url !== null && url.href !== `${url.origin}/`) this.add(variable, 'must be an origin: scheme, host and port only');
    return url?.origin ?? value;
  }

  /** Checks an address as {@link address} to which paths are appended: without a query. */
  base<Value extends string | undefined>(variable: string, value: Value): string | Value {
    if (value === undefined) return value;
    if (value.includes('?')) this.add(variable, 'must not contain a query');
    return this.address(variable, value);
  }

  /** Checks an issuer (OpenID Connect Core 1.0, 1.2: without a query). @returns it unchanged, for exact comparison */
  issuer(variable: string, value: string): string {
    this.base(variable, value);
    return value;
  }

  /** Checks an address as {@link address}. @returns it unchanged, for exact comparison */
  exact<Value extends string | undefined>(variable: string, value: Value): Value {
    if (value !== undefined) this.address(variable, value);
    return value;
  }

  /** @returns null: it is not an address, which has been reported */
  #parse(variable: string, value: string): URL | null {
    const url = ADDRESS.test(value) ? URL.parse(value) : null;
    if (url === null) {
      this.add(variable, 'is not an http(s) address');
      return null;
    }
    if (this.production && url.protocol !== 'https:' && !isLoopback(url.hostname)) {
      this.add(variable, 'must be https in production');
    }
    return url;
  }
}

export function withoutTrailingSlashes(address: string): string {
  let end = address.length;
  while (address[end - 1] === '/') end -= 1;
  return address.slice(0, end);
}
