import { AppError } from '../errors.ts';
import type { Subscriber } from '../events/subscriber.ts';
import { describeError } from '../observability/logger.ts';
import { budgetOf, type Principal } from '../principal.ts';
import type { ConnectionHost, SocketCredential, SocketPrincipal } from './connection-host.ts';
import { CLOSE, errorFrame, type Frame, type Incoming, RETRY_SECONDS, readyFrame } from './frames/frames.ts';

/** Frames that carry a credential. */
export type AuthenticationFrame = Extract<Frame, { type: 'authenticate' | 'send' | 'resume' }>;

export interface AuthenticatedSocket extends Subscriber {
  readonly isClosing: boolean;
  /** In total. */
  readonly received: { messages: number; bytes: number };
  send(frame: string): void;
  close(code: number, reason: string): void;
  /** Closes for exceeding a limit. */
  closeForNow(message: string): void;
}

/** The user of one socket: authenticated by its first frame within a few seconds, until the credential expires or is renewed. */
export class Authentication<Socket extends AuthenticatedSocket> {
  readonly #socket: Socket;
  readonly #host: ConnectionHost<Socket>;
  #principal: Principal | undefined;
  /** By which it is authenticated at present: the hash of its secret, in hex. */
  #session: string | undefined;
  /** By the monotonic clock: until when the socket must authenticate. */
  readonly #signInBy: number;
  /** When its token expires, milliseconds since 1970; undefined until the socket is authenticated. */
  #expiresAt: number | undefined;
  /** Frames received while a token is being verified. */
  #queuedFrames: Incoming[] | undefined;
  #ready = false;

  constructor(socket: Socket, host: ConnectionHost<Socket>) {
    this.#socket = socket;
    this.#host = host;
    this.#signInBy = host.now() + host.limits.socketAuthenticationMs;
  }

  get principal(): Principal | undefined {
    return this.#principal;
  }

  get session(): string | undefined {
    return this.#session;
  }

  /** A credential is being verified. */
  get isPending(): boolean {
    return this.#queuedFrames !== undefined;
  }

  /** Queues a frame while a token is being verified. @returns false when none is */
  queue(frame: Incoming): boolean {
    this.#queuedFrames?.push(frame);
    return this.isPending;
  }

  /** Closes the socket when it did not authenticate in time, or its token has expired. */
  tick(now: number): void {
    // While a token is being verified, the deadline doesn't apply: how long that takes is bounded, and not the client's fault.
    if (!this.#isOver(now) || this.isPending) return;
    this.#socket.close(CLOSE.authentication, this.#principal === undefined ? 'authentication expected' : 'token expired');
  }

  /** Verifies a credential; pending until {@link finish}. */
  async run(frame: AuthenticationFrame, credential: SocketCredential): Promise<void> {
    this.#queuedFrames = frame.type === 'authenticate' ? [] : [frame];
    try {
      await this.#signIn(await this.#host.service.authenticate(credential), frame);
    } catch (error) {
      this.#reject(frame, error);
    }
  }

  /** @returns the frames received in the meantime */
  finish(): Incoming[] {
    const queued = this.#queuedFrames ?? [];
    this.#queuedFrames = undefined;
    return queued;
  }

  /** The first authentication counts towards the user's sockets; later ones renew it, for the same user and client only. */
  async #signIn(caller: SocketPrincipal, frame: AuthenticationFrame): Promise<void> {
    const [socket, host] = [this.#socket, this.#host];
    if (socket.isClosing) return;
    const ready = (seq: number) => {
      this.#ready = true;
      this.#expiresAt = caller.expiresAt * 1000;
      this.#session = caller.session?.secretHash.toString('hex');
      const maxBytes = host.limits.socketPayloadBytes;
      if (frame.type === 'authenticate')
        socket.send(readyFrame(frame.requestId, caller, { revision: host.service.revision(), seq, maxBytes }));
    };
    if (this.#principal !== undefined) {
      const { userId, clientId } = this.#principal;
      if (userId !== caller.userId || clientId !== caller.clientId)
        throw new AppError('forbidden', 'A socket belongs to one user. Open another one.');
      ready(socket.seq);
      return;
    }
    const budget = budgetOf(caller);
    if (!host.admit(budget, socket)) {
      throw new AppError('rate_limited', 'This user has too many open sockets.', { retryAfter: RETRY_SECONDS });
    }
    this.#principal = caller;
    // Counts what was received before the user was known, so that new sockets don't evade the user's limits.
    const { messages, bytes } = socket.received;
    if (!host.allowsMessages(budget, messages) || !host.allowsBytes(budget, bytes)) {
      socket.closeForNow('too many messages');
      return;
    }
    await host.service.feed.subscribe(caller.userId, socket, frame.type === 'authenticate' ? frame.since : undefined, ready);
    if (socket.isClosing) host.service.feed.unsubscribe(caller.userId, socket);
  }

  #isOver(now: number): boolean {
    return this.#expiresAt === undefined ? now >= this.#signInBy : this.#host.timeOfDay() >= this.#expiresAt;
  }

  #reject(frame: AuthenticationFrame, error: unknown): void {
    if (!(error instanceof AppError)) this.#host.logger.error({ err: describeError(error) }, 'a socket could not be authenticated');
    const code = error instanceof AppError ? error.code : 'internal';
    this.#socket.send(errorFrame(frame.requestId, error));
    // While the database or the issuer is unavailable, an earlier token remains valid.
    if (code === 'unavailable' && this.#ready) return;
    if (code === 'rate_limited') this.#socket.closeForNow('too many sockets');
    else this.#socket.close(code === 'unavailable' ? CLOSE.tryAgain : CLOSE.authentication, 'authentication failed');
  }
}
