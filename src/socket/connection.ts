import type { WebSocket } from 'ws';
import { AppError } from '../errors.ts';
import type { EventFeed, Subscriber } from '../events/event-feed.ts';
import type { Caller } from '../http/endpoint.ts';
import { describeError } from '../logger.ts';
import { CLOSE, errorFrame, eventFrame, type Frame, parseFrame, type RequestFrame, readyFrame, resultFrame } from './frames.ts';
import { MessageRate } from './message-rate.ts';
import { Outbox } from './outbox.ts';
import { type RequestsHost, RunningRequests, type Work } from './running-requests.ts';

/** What all connections share. */
export interface ConnectionHost extends RequestsHost {
  readonly feed: EventFeed;
  authenticate(token: string): Promise<Caller>;
  /** Takes a place among the user's sockets until {@link closed}; false = all taken. */
  admit(userId: string): boolean;
  /** Revision of the integrations in force. */
  revision(): string;
  work(userId: string, frame: RequestFrame): Work;
  /** A request was answered. */
  settled(connection: Connection): void;
  closed(connection: Connection): void;
}

type Opening = Extract<Frame, { type: 'authenticate' | 'send' | 'resume' }>;

const PING_MS = 30_000;
const MISSES = 2;

/** One socket: authenticated by its first frame within a few seconds, ended when its token ends. Small: there may be thousands. */
export class Connection implements Subscriber {
  seq = 0;
  readonly #socket: WebSocket;
  readonly #host: ConnectionHost;
  readonly #outbox: Outbox;
  readonly #rate = new MessageRate();
  #userId: string | undefined;
  /** Until when it must have authenticated; then, when its token ends. Milliseconds since 1970, as `#pingAt`. */
  #deadline: number;
  #pingAt: number;
  #missed = 0;
  /** Frames that came while the authentication before them is under way. */
  #waiting: Frame[] | undefined;
  #requests: RunningRequests | undefined;
  #ready = false;
  #ending = false;

  constructor(socket: WebSocket, host: ConnectionHost) {
    this.#socket = socket;
    this.#host = host;
    this.#outbox = new Outbox(socket);
    this.#deadline = host.now() + host.limits.socketAuthenticationMs;
    this.#pingAt = host.now() + PING_MS;
  }

  get userId(): string | undefined {
    return this.#userId;
  }

  get busy(): boolean {
    return this.#requests !== undefined && this.#requests.size > 0;
  }

  receive(data: Buffer, isBinary: boolean): void {
    if (this.#ending || !this.#withinRate()) return;
    if (isBinary) this.end(CLOSE.frame, 'text frames only');
    else this.#accept(parseFrame(data.toString()));
  }

  /** Each is answered with a pong, so it counts as a message. */
  pinged(): void {
    this.#withinRate();
  }

  ponged(): void {
    this.#missed = 0;
  }

  /** The socket is gone: reads end, changes that were begun run on. */
  closed(): void {
    this.#ending = true;
    if (this.#userId !== undefined) this.#host.feed.unsubscribe(this.#userId, this);
    this.#requests?.abortAll();
    this.#host.closed(this);
  }

  push(event: { seq: number; event: string; data: object }): boolean {
    if (this.#outbox.isSlow) return false;
    this.#send(eventFrame(event));
    return true;
  }

  /** What time brings: deadlines, pings, slow readers, long requests. */
  tick(now: number): void {
    if (this.#ending) return;
    // It spoke in time; how long the check of a token takes (an issuer out of reach) is bounded and not its fault.
    if (now >= this.#deadline && this.#waiting === undefined) {
      this.end(CLOSE.authentication, this.#userId === undefined ? 'authentication expected' : 'token expired');
      return;
    }
    if (this.#outbox.tick(now)) {
      if (this.#waiting === undefined) this.#socket.resume();
      if (this.#userId !== undefined) this.#host.feed.catchUp(this.#userId);
    }
    if (now >= this.#pingAt) this.#ping(now);
    this.#requests?.tick(now);
  }

  /** Ends what runs, as far as it still can be ended. */
  abortRequests(): void {
    this.#requests?.abortAll();
  }

  end(code: number, reason: string): void {
    if (this.#ending) return;
    this.#ending = true;
    // The answer to our close frame must be read.
    this.#socket.resume();
    this.#socket.close(code, reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  #withinRate(): boolean {
    const allowed = this.#rate.allows(this.#host.limits.socketMessagesPerMinute, this.#host.now());
    if (!allowed) this.end(CLOSE.rate, 'too many messages');
    return allowed;
  }

  #accept(frame: ReturnType<typeof parseFrame>): void {
    if (this.#ending) return;
    if (frame.type === 'refused') {
      if (this.#userId === undefined) this.end(CLOSE.authentication, 'authentication expected');
      else this.#send(errorFrame(frame.requestId, new AppError('invalid_request', frame.reason)));
    } else if (this.#waiting !== undefined) this.#waiting.push(frame);
    else if (frame.type === 'authenticate') void this.#authenticate(frame, frame.token);
    else if (this.#userId === undefined) this.#open(frame);
    else this.#handle(frame, this.#userId);
  }

  /** The AI SDK's transport authenticates by the headers of its first frame. */
  #open(frame: Exclude<Frame, { type: 'authenticate' }>): void {
    const token = frame.type === 'send' || frame.type === 'resume' ? frame.headers?.authorization : undefined;
    if (token === undefined) this.end(CLOSE.authentication, 'authentication expected');
    else void this.#authenticate(frame as Opening, token);
  }

  #handle(frame: Exclude<Frame, { type: 'authenticate' }>, userId: string): void {
    if (frame.type === 'abort') this.#abort(frame.requestId, frame.id);
    else if (frame.type === 'send' || frame.type === 'resume') {
      this.#refuse(frame.requestId, new AppError('assistant_disabled', 'No model is configured on this server.'));
    } else void this.#request(frame, userId);
  }

  /** In the order of the frames: nothing is read or begun until it is done. */
  async #authenticate(frame: Opening, token: string): Promise<void> {
    const waiting: Frame[] = frame.type === 'authenticate' ? [] : [frame];
    this.#waiting = waiting;
    this.#socket.pause();
    try {
      await this.#admit(await this.#host.authenticate(token), frame);
    } catch (error) {
      this.#refuseToken(frame, error);
    }
    this.#waiting = undefined;
    if (this.#ending) return;
    if (!this.#outbox.isSlow) this.#socket.resume();
    for (const next of waiting) this.#accept(next);
  }

  /** First authentication takes a place; a later one renews, as the same user only. */
  async #admit(caller: Caller, frame: Opening): Promise<void> {
    if (this.#ending) return;
    const ready = (seq: number) => {
      this.#ready = true;
      this.#deadline = caller.expiresAt * 1000;
      if (frame.type === 'authenticate') this.#send(readyFrame(frame.requestId, caller, this.#host.revision(), seq));
    };
    if (this.#userId !== undefined) {
      if (this.#userId !== caller.userId) throw new AppError('forbidden', 'A socket stays with its user; open another one.');
      ready(this.seq);
      return;
    }
    if (!this.#host.admit(caller.userId)) throw new AppError('rate_limited', 'This user has too many open sockets.');
    this.#userId = caller.userId;
    await this.#host.feed.subscribe(caller.userId, this, frame.type === 'authenticate' ? frame.since : undefined, ready);
    if (this.#ending) this.#host.feed.unsubscribe(caller.userId, this);
  }

  #refuseToken(frame: Opening, error: unknown): void {
    if (!(error instanceof AppError)) this.#host.logger.error({ err: describeError(error) }, 'a socket could not be authenticated');
    const away = error instanceof AppError && error.code === 'unavailable';
    this.#refuse(frame.requestId, error);
    // A database or issuer that is away says nothing about the token: the client may keep it, and an earlier one still counts.
    if (away && this.#ready) return;
    this.end(away ? CLOSE.tryAgain : CLOSE.authentication, 'authentication failed');
  }

  async #request(frame: RequestFrame, userId: string): Promise<void> {
    this.#requests ??= new RunningRequests(this.#host, (answer) => this.#send(answer));
    await this.#requests.run(frame.requestId, this.#host.work(userId, frame));
    this.#host.settled(this);
  }

  /** Without `id` it ends its own request, whose answer is answer enough. */
  #abort(requestId: string, id: string | undefined): void {
    const aborted = this.#requests?.abort(id ?? requestId) ?? false;
    if (id !== undefined) this.#send(resultFrame(requestId, { data: { aborted } }));
  }

  #ping(now: number): void {
    if (this.#missed >= MISSES) {
      this.#socket.terminate();
      return;
    }
    this.#pingAt = now + PING_MS;
    this.#missed += 1;
    this.#socket.ping();
  }

  #refuse(requestId: string, error: unknown): void {
    this.#send(errorFrame(requestId, error));
  }

  #send(frame: string): void {
    this.#outbox.send(frame, this.#host.now());
  }
}
