import { isLoopback } from './config.ts';

/** Collects what is wrong with the environment, so that one message can name it all. */
export class Problems {
  readonly found: string[] = [];
  readonly production: boolean;

  constructor(production: boolean) {
    this.production = production;
  }

  add(variable: string, problem: string): void {
    this.found.push(`${variable}: ${problem}`);
  }

  /** A http(s) address without credentials or fragment, https in production unless loopback; returned without trailing slash. */
  address(variable: string, value: string): string {
    const url = URL.parse(value);
    if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
      this.add(variable, 'is not an http(s) address');
      return value;
    }
    if (url.username !== '' || url.password !== '' || url.hash !== '') {
      this.add(variable, 'must hold neither credentials nor a fragment');
    }
    if (this.production && url.protocol !== 'https:' && !isLoopback(url.hostname)) {
      this.add(variable, 'must be https in production');
    }
    return value.replace(/(?<!\/)\/+$/, '');
  }

  optionalAddress(variable: string, value: string | undefined): string | undefined {
    return value === undefined ? undefined : this.address(variable, value);
  }
}
