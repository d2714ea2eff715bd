import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { type Clock, systemClock } from '../../../src/clock/clock.ts';
import { freePort } from './free-port.ts';

type Mode = 'open' | 'frozen';

/** A TCP proxy in front of a server, which tests cut off, freeze (a black hole) or slow down. */
export class TcpProxy {
  readonly #target: { host: string; port: number };
  readonly #server = createServer((socket) => this.#accept(socket));
  readonly #sockets = new Set<Socket>();
  #mode: Mode = 'open';
  #delayMs = 0;
  /** What sends the packets of the server on that wait for `release`; undefined: none waits. */
  #held: (() => void)[] | undefined;
  readonly #clock: Clock;
  /** Once a client has sent this, it receives nothing more. */
  #lastWords: string | undefined;
  #connections = 0;
  /** Connections up to this one receive nothing any more. */
  #frozenUntil = 0;
  #port = 0;

  constructor(target: { host: string; port: number }, clock: Clock = systemClock) {
    this.#target = target;
    this.#clock = clock;
  }

  get port(): number {
    return this.#port;
  }

  async open(): Promise<void> {
    this.#mode = 'open';
    this.#delayMs = 0;
    this.release();
    this.#lastWords = undefined;
    if (!this.#server.listening) {
      this.#server.listen(this.#port || (await freePort()), '127.0.0.1');
      await once(this.#server, 'listening');
      this.#port = (this.#server.address() as AddressInfo).port;
    }
  }

  /** As if the server had stopped: connections are reset, new ones refused. */
  async cut(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.breakConnections();
    await closed;
  }

  /** As if the network had failed: connections stay open, and nothing arrives. */
  freeze(): void {
    this.#mode = 'frozen';
  }

  /** The present connections are dead without a reset; new ones work. */
  freezeConnections(): void {
    this.#frozenUntil = this.#connections;
  }

  /** From now on, what the server sends waits for `release`. */
  hold(): void {
    this.#held = [];
  }

  /** Number of packets that wait. */
  get holding(): number {
    return this.#held?.length ?? 0;
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const send of held) send();
  }

  /** Delays every packet of the server by this time from now on. */
  slow(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  /** Every connection works up to the packet with `words`: the server receives it, and its client gets no reply. */
  muteAfter(words: string): void {
    this.#lastWords = words;
  }

  breakConnections(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    if (this.#server.listening) await this.cut();
  }

  #accept(client: Socket): void {
    this.#track(client);
    if (this.#mode === 'frozen') return;
    const server = connect(this.#target);
    this.#connections += 1;
    const number = this.#connections;
    this.#track(server);
    let muted = false;
    const listening = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        muted ||= this.#lastWords !== undefined && chunk.includes(this.#lastWords);
        done(null, chunk);
      },
    });
    const muting = new Transform({ transform: (chunk, _encoding, done) => done(null, muted ? undefined : chunk) });
    client.pipe(this.#gate(number, false)).pipe(listening).pipe(server);
    server.pipe(muting).pipe(this.#gate(number, true)).pipe(client);
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket));
  }

  #gate(number: number, responses: boolean): Transform {
    return new Transform({
      transform: (chunk, _encoding, done) => {
        // Dropped: the sender receives nothing until the connection is closed.
        if (this.#mode === 'frozen' || number <= this.#frozenUntil) done();
        else if (responses && this.#held !== undefined) this.#held.push(() => done(null, chunk));
        else this.#clock.after(responses ? this.#delayMs : 0, () => done(null, chunk));
      },
    });
  }
}
