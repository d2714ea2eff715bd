import type { WebSocket } from 'ws';
import { AppError } from '../errors.ts';
import type { Subscriber } from '../events/event-feed.ts';
import type { Caller } from '../http/endpoint.ts';
import { guarded } from '../observability/guarded.ts';
import { describeError } from '../observability/logger.ts';
import { FixedWindowCounter } from '../rate-limit/fixed-window.ts';
import type { ConnectionHost } from './connection-host.ts';
import {
  CLOSE,
  errorFrame,
  eventFrame,
  type Frame,
  type Incoming,
  parseFrame,
  type RequestFrame,
  readyFrame,
  resultFrame,
} from './frames.ts';
import { Intake } from './intake.ts';
import { Outbox } from './outbox.ts';
import { RunningRequests } from './running-requests.ts';

type Opening = Extract<Frame, { type: 'authenticate' | 'send' | 'resume' }>;

const MISSES = 2;
/** Close codes of RFC 6455, 7.4.1. */
const POLICY = 1008;
const TOO_LARGE = 1009;
/** Messages are counted by the minute, and sockets of clients that vanished are given up after little more. */
const RETRY_SECONDS = 60;

/** One socket: authenticated by its first frame within a few seconds, ended when its token ends. Small: there may be thousands. */
export class Connection implements Subscriber {
  seq = 0;
  readonly #socket: WebSocket;
  readonly #host: ConnectionHost<Connection>;
  readonly #outbox: Outbox;
  readonly #rate = new FixedWindowCounter();
  readonly #intake = new Intake();
  #userId: string | undefined;
  /** Until when it must have authenticated; then, when its token ends. Milliseconds since 1970, as `#pingAt`. */
  #deadline: number;
  #pingAt: number;
  #missed = 0;
  #pongsDue = 0;
  /** Frames that came while the authentication before them is under way. */
  #waiting: Incoming[] | undefined;
  #requests: RunningRequests | undefined;
  #ready = false;
  #ending = false;

  constructor(socket: WebSocket, host: ConnectionHost<Connection>) {
    this.#socket = socket;
    this.#host = host;
    this.#outbox = new Outbox(socket, host);
    this.#deadline = host.now() + host.limits.socketAuthenticationMs;
    this.#pingAt = host.now() + host.limits.socketPingMs;
  }

  get userId(): string | undefined {
    return this.#userId;
  }

  /** It has spoken, and its token is being checked. */
  get authenticating(): boolean {
    return this.#waiting !== undefined;
  }

  get busy(): boolean {
    return this.#requests !== undefined && this.#requests.size > 0;
  }

  /** Bytes came, whatever they are. Called after the messages that they complete. @returns false: what comes now is nobody's any more */
  took(bytes: number): boolean {
    const now = this.#host.now();
    this.#intake.add(bytes, now);
    if (this.#ending) return this.#intake.allowsAfterEnd(bytes);
    if (this.#userId !== undefined) {
      if (!this.#host.allowsBytes(this.#userId, bytes)) this.#endForNow('too many bytes');
      // What follows a sign-in at once may be a message of any size, of which the first piece has been read already.
    } else if (this.#waiting === undefined) {
      const fault = this.#intake.openingFault(this.#host.limits);
      if (fault !== undefined) this.end(fault, 'too much before the sign-in');
    }
    return true;
  }

  receive(data: Buffer, isBinary: boolean): void {
    this.#intake.completed();
    if (this.#ending || !this.#withinRate()) return;
    const isOpening = this.#userId === undefined && this.#waiting === undefined;
    if (isBinary) this.end(CLOSE.frame, 'text frames only');
    else if (isOpening && data.length > this.#host.limits.socketOpeningBytes) this.end(TOO_LARGE, 'too much before the sign-in');
    else this.#accept(parseFrame(data, this.#host.limits.socketPayloadBytes));
  }

  /** Each is answered with a pong, so it counts as a message. */
  pinged(): void {
    this.#withinRate();
  }

  /** One for each of our pings is free; more of them take as long to read as messages. */
  ponged(): void {
    this.#missed = 0;
    if (this.#pongsDue > 0) this.#pongsDue -= 1;
    else if (!this.#ending) this.#withinRate();
  }

  /** The socket is gone: reads end, changes that were begun run on. */
  closed(code: number): void {
    this.#ending = true;
    if (this.#userId !== undefined) this.#host.feed.unsubscribe(this.#userId, this);
    this.#requests?.abortAll();
    this.#host.closed(this, code);
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
      // Its pongs were not read meanwhile, but it has read.
      this.#missed = 0;
      if (this.#waiting === undefined) this.#socket.resume();
      if (this.#userId !== undefined) this.#host.feed.catchUp(this.#userId);
    }
    if (this.#outbox.isSlow) this.#intake.waited(now);
    else if (this.#intake.isOverdue(this.#host.limits, now)) this.end(POLICY, 'a message did not arrive in time');
    else if (now >= this.#pingAt) this.#ping(now);
    this.#requests?.tick(now);
  }

  /** Ends what runs, as far as it still can be ended. */
  abortRequests(): void {
    this.#requests?.abortAll();
  }

  end(code: number, reason: string): void {
    if (this.#ending) return;
    this.#ending = true;
    this.#outbox.flush();
    // The answer to our close frame must be read.
    this.#socket.resume();
    this.#socket.close(code, reason);
  }

  /** Its user is no more: nothing that runs is of use to anyone. */
  userDeleted(): void {
    this.abortRequests();
    this.end(CLOSE.authentication, 'user deleted');
  }

  terminate(): void {
    this.#socket.terminate();
  }

  #withinRate(): boolean {
    const ofUser = this.#userId === undefined || this.#host.allowsMessages(this.#userId, 1);
    const allowed = this.#rate.allows(this.#host.limits.socketMessagesPerMinute, this.#host.now()) && ofUser;
    if (!allowed) this.#endForNow('too many messages');
    return allowed;
  }

  #accept(frame: Incoming): void {
    if (this.#ending) return;
    if (this.#waiting !== undefined) this.#waiting.push(frame);
    else if (frame.type === 'refused') this.#refuseFrame(frame.requestId, frame.reason, frame.code);
    else if (frame.type === 'authenticate') this.#begin(() => this.#authenticate(frame, frame.token));
    else if (this.#userId === undefined) this.#open(frame);
    else this.#handle(frame, this.#userId);
  }

  /** The AI SDK's transport authenticates by the headers of its first frame. */
  #open(frame: Exclude<Frame, { type: 'authenticate' }>): void {
    const token = frame.type === 'send' || frame.type === 'resume' ? frame.headers?.authorization : undefined;
    if (token === undefined)
      this.#refuseFrame(frame.requestId, 'The first frame must be authenticate, or hold an ID token in its headers.');
    else this.#begin(() => this.#authenticate(frame as Opening, token));
  }

  /** Says what is wrong; with the first frame, that ends it. */
  #refuseFrame(requestId: string, message: string, code: 'invalid_request' | 'too_large' = 'invalid_request'): void {
    this.#refuse(requestId, new AppError(code, message));
    if (this.#userId === undefined) this.end(CLOSE.authentication, 'authentication expected');
  }

  #handle(frame: Exclude<Frame, { type: 'authenticate' }>, userId: string): void {
    if (frame.type === 'abort') this.#abort(frame.requestId, frame.id);
    else if (frame.type === 'send' || frame.type === 'resume') {
      this.#refuse(frame.requestId, new AppError('assistant_disabled', 'No model is configured on this server.'));
    } else this.#request(frame, userId);
  }

  /** In the order of the frames: nothing is read or begun until it is done. */
  async #authenticate(frame: Opening, token: string): Promise<void> {
    const waiting: Incoming[] = frame.type === 'authenticate' ? [] : [frame];
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
      const maxBytes = this.#host.limits.socketPayloadBytes;
      if (frame.type === 'authenticate')
        this.#send(readyFrame(frame.requestId, caller, { revision: this.#host.revision(), seq, maxBytes }));
    };
    if (this.#userId !== undefined) {
      if (this.#userId !== caller.userId) throw new AppError('forbidden', 'A socket stays with its user; open another one.');
      ready(this.seq);
      return;
    }
    if (!this.#host.admit(caller.userId, this)) {
      throw new AppError('rate_limited', 'This user has too many open sockets.', { retryAfter: RETRY_SECONDS });
    }
    this.#userId = caller.userId;
    // Those before it was known whose they are: each socket anew could bring as many.
    const isTooMuch =
      !this.#host.allowsMessages(caller.userId, this.#rate.count) || !this.#host.allowsBytes(caller.userId, this.#intake.bytes);
    if (isTooMuch) {
      this.#endForNow('too many messages');
      return;
    }
    await this.#host.feed.subscribe(caller.userId, this, frame.type === 'authenticate' ? frame.since : undefined, ready);
    if (this.#ending) this.#host.feed.unsubscribe(caller.userId, this);
  }

  #refuseToken(frame: Opening, error: unknown): void {
    if (!(error instanceof AppError)) this.#host.logger.error({ err: describeError(error) }, 'a socket could not be authenticated');
    const code = error instanceof AppError ? error.code : 'internal';
    this.#refuse(frame.requestId, error);
    // A database or issuer that is away says nothing about the token: the client may keep it, and an earlier one still counts.
    if (code === 'unavailable' && this.#ready) return;
    if (code === 'rate_limited') this.#endForNow('too many sockets');
    else this.end(code === 'unavailable' ? CLOSE.tryAgain : CLOSE.authentication, 'authentication failed');
  }

  /** Too much at present: the client shall keep its token and stay away for a while. */
  #endForNow(message: string): void {
    this.end(CLOSE.rate, JSON.stringify({ retry_after: RETRY_SECONDS, message }));
  }

  #request(frame: RequestFrame, userId: string): void {
    this.#requests ??= new RunningRequests(this.#host, this.#outbox);
    const running = this.#requests;
    this.#begin(() => running.run(frame.requestId, this.#host.work(userId, frame)).then(() => this.#host.settled(this)));
  }

  /** What goes on by itself: where it fails, this socket ends and nothing else. */
  #begin(work: () => Promise<void>): void {
    guarded(this.#host.logger, 'a socket', work, () => this.#socket.terminate())();
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
    this.#pingAt = now + this.#host.limits.socketPingMs;
    this.#missed += 1;
    this.#pongsDue += 1;
    this.#socket.ping();
  }

  #refuse(requestId: string, error: unknown): void {
    this.#send(errorFrame(requestId, error));
  }

  #send(frame: string): void {
    void this.#outbox.send(frame);
  }
}
