import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { lastingEffect, Statements, type WireMessage, WireReader } from './pg-wire.ts';
import type { Steps } from './steps.ts';

/** A proxy in front of Postgres that reports the steps around every committed write. */
export class TapProxy {
  readonly #server = createServer((socket) => this.#accept(socket));
  readonly #target: { host: string; port: number };
  readonly #steps: Steps;
  readonly #sockets = new Set<Socket>();
  port = 0;

  constructor(target: { host: string; port: number }, steps: Steps) {
    this.#target = target;
    this.#steps = steps;
  }

  async open(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.port = (this.#server.address() as AddressInfo).port;
  }

  /** Resets every connection; new ones are accepted. */
  breakConnections(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.breakConnections();
    await closed;
  }

  #accept(client: Socket): void {
    const server = connect(this.#target);
    const statements = new Statements();
    let status = 'I';
    /** The effect whose ReadyForQuery is awaited. */
    let awaited: string | undefined;
    this.#relay(client, server, true, async (message) => {
      const sql = statements.take(message);
      const effect = sql === undefined ? undefined : lastingEffect(sql, status);
      if (effect === undefined) return true;
      awaited = `database ${effect}`;
      return (await this.#steps.pass(awaited, 'before')) === 'go on';
    });
    this.#relay(server, client, false, async ({ type, body }) => {
      if (type !== 'Z') return true;
      status = body.toString('latin1');
      const at = awaited;
      awaited = undefined;
      return at === undefined || (await this.#steps.pass(at, 'after')) === 'go on';
    });
  }

  /** Forwards messages in order while `look` allows them; the first rejected one closes both connections. */
  #relay(from: Socket, to: Socket, startup: boolean, look: (message: WireMessage) => Promise<boolean>): void {
    const reader = new WireReader(startup);
    let last = Promise.resolve();
    this.#sockets.add(from);
    // Messages are forwarded one by one: each would wait for the one before it to be acknowledged.
    from.setNoDelay(true);
    from.on('error', () => {});
    from.on('data', (chunk: Buffer) => {
      for (const message of reader.read(chunk)) {
        last = last.then(async () => {
          if (to.destroyed || from.destroyed) return;
          if (await look(message)) to.write(message.bytes);
          else {
            from.resetAndDestroy();
            to.resetAndDestroy();
          }
        });
      }
    });
    from.on('close', () => {
      this.#sockets.delete(from);
      void last.then(() => to.end());
    });
  }
}
