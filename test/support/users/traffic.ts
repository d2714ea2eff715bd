import { randomBytes } from 'node:crypto';
import type { PostgresDatabase } from '../database/postgres.ts';
import type { Service } from '../steward.ts';

/** A request with an unexpected response. */
export interface Failure {
  /** Status of the response; 0 = there was none. */
  status: number;
  /** Whether the service itself responded, not the balancer. */
  fromService: boolean;
  what: string;
}

/** Clients that write and read without a pause, and record what was acknowledged. */
export class Traffic {
  readonly failures: Failure[] = [];
  readonly #service: Service;
  readonly #token: string;
  readonly #acknowledged: string[] = [];
  readonly #clients: Promise<void>[];
  #reads = 0;
  #stopped = false;

  constructor(service: Service, token: string, clients = 6) {
    this.#service = service;
    this.#token = token;
    this.#clients = Array.from({ length: clients }, () => this.#run());
  }

  /** Successful requests so far, of both kinds. */
  get done(): number {
    return this.#reads + this.#acknowledged.length;
  }

  /** Ends the traffic. @returns what was acknowledged and is missing */
  async end({ sql }: PostgresDatabase): Promise<string[]> {
    this.#stopped = true;
    await Promise.all(this.#clients);
    const rows = await sql<{ email: string }>('select email from waitlist');
    const kept = new Set(rows.map(({ email }) => email));
    return this.#acknowledged.filter((email) => !kept.has(email));
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      await this.#write();
      await this.#read();
    }
  }

  async #write(): Promise<void> {
    const email = `${randomBytes(6).toString('hex')}@example.com`;
    await this.#expect('a write', '/waitlist', { form: { email } }, (body) => {
      if (body?.status !== 'success') return false;
      this.#acknowledged.push(email);
      return true;
    });
  }

  async #read(): Promise<void> {
    await this.#expect('a read', '/auth/workspace/accounts', { token: this.#token }, (body) => {
      this.#reads += 1;
      return Array.isArray(body?.accounts);
    });
  }

  async #expect(what: string, path: string, options: object, isGood: (body: any) => boolean): Promise<void> {
    try {
      const { status, headers, body, text } = await this.#service.call(path, options);
      if (status === 200 && isGood(body)) return;
      this.failures.push({ status, fromService: headers.has('x-request-id'), what: `${what}: ${text.slice(0, 200)}` });
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      this.failures.push({ status: 0, fromService: false, what: `${what}: ${String(cause)}` });
    }
  }
}
