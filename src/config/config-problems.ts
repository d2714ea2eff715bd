import { isLoopback } from './config.ts';

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

  /** Checks an address as {@link address}. @returns it unchanged, for exact comparison */
  exact<Value extends string | undefined>(variable: string, value: Value): Value {
    this.optionalAddress(variable, value);
    return value;
  }

  optionalAddress(variable: string, value: string | undefined): string | undefined {
    return value === undefined ? undefined : this.address(variable, value);
  }

  /** @returns null: it is not an address, which has been reported */
  #parse(variable: string, value: string): URL | null {
    const url = URL.parse(value);
    if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
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
