import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { SMTPServer, SMTPServerDataStream } from 'smtp-server';
import type { Controls, Fault } from '../controls.ts';
import { headerOf, parseMime } from '../google/gmail-mime.ts';
import { textOf } from '../google/gmail-resources.ts';
import { keep } from './kept.ts';

/** A mail that the service has sent. */
export interface CaughtMail {
  /** RFC 3339. */
  at: string;
  from: string;
  /** Of the envelope. */
  to: string[];
  subject: string;
  text: string;
  headers: Record<string, string>;
}

const MOST_BYTES = 1024 * 1024;
/** What a fault without a status says: try again later (RFC 5321, 4.2.3). */
const BUSY = 451;

/** A mail server on loopback, whose mails nobody gets. It listens from the first call on. */
export class MailCatcher {
  /** The newest last. */
  readonly mails: CaughtMail[] = [];
  readonly #controls: Controls;
  #server: Promise<SMTPServer> | undefined;

  constructor(controls: Controls) {
    this.#controls = controls;
  }

  /** The settings of a service that sends by it. */
  async settings() {
    this.#server ??= this.#listen();
    const { port } = (await this.#server).server.address() as AddressInfo;
    return { host: '127.0.0.1', port, implicitTls: false, credentials: undefined, from: 'steward@sandbox.example' };
  }

  close(): void {
    void this.#server?.then((server) => server.close());
  }

  async #listen(): Promise<SMTPServer> {
    const { SMTPServer: Server } = await import('smtp-server');
    const server = new Server({
      authOptional: true,
      disabledCommands: ['STARTTLS', 'AUTH'],
      disableReverseLookup: true,
      size: MOST_BYTES,
      logger: false,
      onRcptTo: (_address, _session, done) => this.#orFault(done),
      onData: (stream, session, done) => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        this.#take(stream, to).then(() => done(), done);
      },
    });
    // Without it, a client that breaks off would end the process.
    server.on('error', () => undefined);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server.server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
    await promise;
    // It does not keep the process running.
    server.server.unref();
    return server;
  }

  #orFault(done: (error?: Error | null) => void): void {
    const fault = this.#controls.take('smtp', '/');
    if (fault === undefined) done();
    else if (fault.kind === 'delay') this.#controls.clock.after(fault.ms ?? 1_000, () => done()).unref();
    else if (fault.kind !== 'hang') done(refusal(fault));
  }

  async #take(stream: SMTPServerDataStream, to: string[]): Promise<void> {
    const raw = (await buffer(stream)).toString('latin1');
    const mime = parseMime(raw);
    keep(this.mails, {
      at: new Date(this.#controls.now()).toISOString(),
      from: headerOf(mime.headers, 'from') ?? '',
      to,
      subject: headerOf(mime.headers, 'subject') ?? '',
      text: textOf(mime),
      headers: Object.fromEntries(mime.headers.map(({ name, value }) => [name.toLowerCase(), value])),
    });
  }
}

function refusal({ status = BUSY }: Fault): Error {
  return Object.assign(new Error('A fault injected by the sandbox.'), { responseCode: status });
}
