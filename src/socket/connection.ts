import type { WebSocket } from 'ws';
import { AppError } from '../errors.ts';
import type { Caller } from '../http/endpoint.ts';
import { describeError, type Logger } from '../logger.ts';
import { type AuthenticateFrame, CLOSE, errorFrame, parseFrame } from './frames.ts';

export interface ConnectionOptions {
  authenticate(token: string): Promise<Caller>;
  /** Takes a place among the user's sockets; false = all taken. */
  admit(userId: string): boolean;
  authenticationMs: number;
  messagesPerMinute: number;
  /** Revision of the integrations in force. */
  revision(): string;
  logger: Logger;
}

const MINUTE_MS = 60_000;
/** How long a client may take to answer our close frame. */
const CLOSING_MS = 1_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** One socket: authenticated by its first frame within a few seconds, ended when its token ends. */
export class Connection {
  readonly #socket: WebSocket;
  readonly #options: ConnectionOptions;
  #caller: Caller | undefined;
  #deadline: NodeJS.Timeout;
  #windowStart = Date.now();
  #windowCount = 0;
  #busy: Promise<void> = Promise.resolve();
  #ending = false;

  constructor(socket: WebSocket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#deadline = setTimeout(() => this.#end(CLOSE.authentication, 'authentication expected'), options.authenticationMs);
    socket.on('message', (data, isBinary) => this.#receive(data.toString(), isBinary));
    socket.on('close', () => clearTimeout(this.#deadline));
    // A protocol error (payload too large, invalid UTF-8) makes ws close the socket itself; unheard it would end the process.
    socket.on('error', (error) => options.logger.debug({ err: describeError(error) }, 'socket error'));
  }

  get userId(): string | undefined {
    return this.#caller?.userId;
  }

  #receive(text: string, isBinary: boolean): void {
    if (this.#ending) return;
    if (!this.#withinRate() || isBinary) {
      this.#end(isBinary ? CLOSE.frame : CLOSE.rate, isBinary ? 'text frames only' : 'too many messages');
      return;
    }
    // One after the other: an answer never overtakes an earlier one. Meanwhile nothing more is read, so that
    // a client can't fill the memory with frames that wait.
    this.#socket.pause();
    this.#busy = this.#busy
      .then(() => this.#handle(text))
      .catch((error: unknown) => {
        this.#options.logger.error({ err: describeError(error) }, 'socket frame failed');
      })
      .finally(() => this.#socket.resume());
  }

  async #handle(text: string): Promise<void> {
    if (this.#ending) return;
    const frame = parseFrame(text);
    if (!('refused' in frame)) return this.#authenticate(frame);
    if (this.#caller === undefined) return this.#end(CLOSE.authentication, 'authentication expected');
    this.#send(errorFrame(frame.requestId, new AppError('invalid_request', frame.refused)));
  }

  async #authenticate(frame: AuthenticateFrame): Promise<void> {
    // It spoke in time; how long the check takes (an issuer out of reach) is bounded and not its fault.
    if (this.#caller === undefined) clearTimeout(this.#deadline);
    try {
      const caller = await this.#options.authenticate(frame.token);
      this.#accept(caller);
      this.#send(
        JSON.stringify({
          type: 'ready',
          requestId: frame.requestId,
          protocol: 'steward.v1',
          uid: caller.userId,
          revision: this.#options.revision(),
          expiresAt: new Date(caller.expiresAt * 1000).toISOString(),
        }),
      );
    } catch (error) {
      this.#send(errorFrame(frame.requestId, error));
      // A database or issuer that is away says nothing about the token: the client may keep it.
      this.#end(error instanceof AppError && error.code === 'unavailable' ? CLOSE.tryAgain : CLOSE.authentication, 'authentication failed');
    }
  }

  /** First authentication takes a place; a later one renews, as the same user only. */
  #accept(caller: Caller): void {
    if (this.#caller !== undefined && this.#caller.userId !== caller.userId) {
      throw new AppError('forbidden', 'A socket stays with its user; open another one.');
    }
    if (this.#caller === undefined && !this.#options.admit(caller.userId)) {
      throw new AppError('rate_limited', 'This user has too many open sockets.');
    }
    this.#caller = caller;
    clearTimeout(this.#deadline);
    const left = Math.min(caller.expiresAt * 1000 - Date.now(), LONGEST_TIMER_MS);
    this.#deadline = setTimeout(() => this.#end(CLOSE.authentication, 'token expired'), left);
  }

  #withinRate(): boolean {
    const now = Date.now();
    if (now - this.#windowStart >= MINUTE_MS) {
      this.#windowStart = now;
      this.#windowCount = 0;
    }
    this.#windowCount += 1;
    return this.#windowCount <= this.#options.messagesPerMinute;
  }

  #send(frame: string): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(frame);
  }

  #end(code: number, reason: string): void {
    this.#ending = true;
    clearTimeout(this.#deadline);
    this.#socket.close(code, reason);
    setTimeout(() => this.#socket.terminate(), CLOSING_MS).unref();
  }
}
