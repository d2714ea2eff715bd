import type { WebSocket } from 'ws';
import { AppError } from '../errors.ts';
import { describeError } from '../observability/logger.ts';
import { budgetOf, type Principal } from '../principal.ts';
import { FixedWindowCounter } from '../rate-limit/fixed-window.ts';
import { type AuthenticatedSocket, Authentication, type AuthenticationFrame } from './authentication.ts';
import type { ConnectionHost, SocketCredential } from './connection-host.ts';
import {
  type ChatFrame,
  CLOSE,
  errorFrame,
  eventFrame,
  type Frame,
  type Incoming,
  isLargeFrame,
  parseFrame,
  parseLargeFrame,
  RETRY_SECONDS,
  type RequestFrame,
  resultFrame,
} from './frames/frames.ts';
import { ReceivedBytes } from './frames/received-bytes.ts';
import { SendQueue } from './frames/send-queue.ts';
import { Heartbeat } from './heartbeat.ts';
import { InFlightRequests } from './requests/in-flight-requests.ts';

/** Close codes of RFC 6455, 7.4.1. */
const POLICY = 1008;
const TOO_LARGE = 1009;

/** One socket. Kept small, because there may be thousands. */
export class Connection implements AuthenticatedSocket {
  seq = 0;
  readonly #socket: WebSocket;
  readonly #host: ConnectionHost<Connection>;
  readonly #sessionSecret: string | undefined;
  readonly #sendQueue: SendQueue;
  readonly #rate = new FixedWindowCounter();
  readonly #received = new ReceivedBytes();
  readonly #heartbeat: Heartbeat;
  readonly #authentication: Authentication<Connection>;
  #requests: InFlightRequests | undefined;
  /** Messages behind a large one, which is parsed in several turns of the event loop; undefined: none is. */
  #behind: Buffer[] | undefined;
  #closing = false;

  /** @param sessionSecret of the cookie that came with the upgrade, from a page of the service itself */
  constructor(socket: WebSocket, host: ConnectionHost<Connection>, sessionSecret: string | undefined) {
    this.#socket = socket;
    this.#host = host;
    this.#sessionSecret = sessionSecret;
    this.#sendQueue = new SendQueue(socket, host);
    this.#authentication = new Authentication(this, host);
    this.#heartbeat = new Heartbeat(socket, host.limits.socketPingMs, host.now());
  }

  get userId(): string | undefined {
    return this.#authentication.principal?.userId;
  }

  /** Whose limits it counts towards; undefined before the authentication. */
  get budget(): string | undefined {
    const { principal } = this.#authentication;
    return principal && budgetOf(principal);
  }

  get clientId(): string | undefined {
    return this.#authentication.principal?.clientId;
  }

  /** The session that it is authenticated by: the hash of its secret, in hex. */
  get session(): string | undefined {
    return this.#authentication.session;
  }

  /** Its credential is being verified. */
  get authenticating(): boolean {
    return this.#authentication.isPending;
  }

  get isClosing(): boolean {
    return this.#closing;
  }

  get received(): { messages: number; bytes: number } {
    return { messages: this.#rate.count, bytes: this.#received.bytes };
  }

  get busy(): boolean {
    return this.#requests !== undefined && this.#requests.size > 0;
  }

  /** Called for each chunk, after the messages that it completes. @returns false: the client keeps sending after the close, stop reading */
  onData(bytes: number): boolean {
    const now = this.#host.now();
    this.#received.add(bytes, now);
    if (this.#closing) return this.#received.allowsAfterClose(bytes);
    const { budget } = this;
    if (budget !== undefined) {
      if (!this.#host.allowsBytes(budget, bytes)) this.closeForNow('too many bytes');
      // During the authentication, chunks may belong to a message after it, which may be of any size.
    } else if (!this.authenticating) {
      const closeCode = this.#received.openingViolation(this.#host.limits);
      if (closeCode !== undefined) this.close(closeCode, 'too much before the sign-in');
    }
    return true;
  }

  onMessage(data: Buffer, isBinary: boolean): void {
    this.#received.completed();
    if (this.#closing || !this.#withinRate()) return;
    const isOpening = this.userId === undefined && !this.authenticating;
    if (isBinary) this.close(CLOSE.frame, 'text frames only');
    else if (isOpening && data.length > this.#host.limits.socketOpeningBytes) this.close(TOO_LARGE, 'too much before the sign-in');
    else this.#receive(data);
  }

  /** Each is answered with a pong, so it counts as a message. */
  onPing(): void {
    this.#withinRate();
  }

  /** One for each of our pings is free; further ones count as messages. */
  onPong(): void {
    if (!this.#heartbeat.pong() && !this.#closing) this.#withinRate();
  }

  /** Aborts reads; changes that have started run to their end. */
  onClose(code: number): void {
    this.#closing = true;
    if (this.userId !== undefined) this.#host.service.feed.unsubscribe(this.userId, this);
    this.#requests?.abortAll();
    this.#host.connectionClosed(this, code);
  }

  push(event: { seq: number; event: string; data: object; at: Date }): boolean {
    if (this.#sendQueue.isSlow) return false;
    this.send(eventFrame(event));
    // Its token is good for nothing more; an open socket would still use up what the user's other clients may have.
    if (event.event === 'token.revoked' && this.clientId !== undefined) this.close(CLOSE.authentication, 'token revoked');
    return true;
  }

  /** Checks everything that depends on time: deadlines, pings, slow readers, long requests. */
  tick(now: number): void {
    if (this.#closing) return;
    this.#authentication.tick(now);
    if (this.#closing) return;
    if (this.#sendQueue.tick(now)) {
      // Reading was paused, so its pongs were not received; but it has read what was sent.
      this.#heartbeat.confirm();
      this.#resume();
      if (this.userId !== undefined) this.#host.service.feed.catchUp(this.userId);
    }
    if (this.#sendQueue.isSlow) this.#received.paused(now);
    else if (this.#received.isOverdue(this.#host.limits, now)) this.close(POLICY, 'a message did not arrive in time');
    else this.#heartbeat.tick(now);
    this.#requests?.tick(now);
  }

  /** Aborts running requests, except changes that have started. */
  abortRequests(): void {
    this.#requests?.abortAll();
  }

  close(code: number, reason: string): void {
    if (this.#closing) return;
    this.#closing = true;
    this.#sendQueue.flush();
    // The client's close frame must be read.
    this.#socket.resume();
    this.#socket.close(code, reason);
  }

  /** The user was deleted. */
  userDeleted(): void {
    this.abortRequests();
    this.close(CLOSE.authentication, 'user deleted');
  }

  sessionEnded(): void {
    this.close(CLOSE.authentication, 'session ended');
  }

  terminate(): void {
    this.#socket.terminate();
  }

  #withinRate(): boolean {
    const { budget } = this;
    const ofUser = budget === undefined || this.#host.allowsMessages(budget, 1);
    const allowed = this.#rate.allows(this.#host.limits.socketMessagesPerMinute, this.#host.now()) && ofUser;
    if (!allowed) this.closeForNow('too many messages');
    return allowed;
  }

  /** Messages are accepted in the order in which they were sent. */
  #receive(data: Buffer): void {
    if (this.#behind !== undefined) this.#behind.push(data);
    else if (isLargeFrame(data, this.#host.limits.socketPayloadBytes)) this.#runTask(() => this.#receiveLarge(data));
    else this.#accept(parseFrame(data));
  }

  async #receiveLarge(data: Buffer): Promise<void> {
    const behind: Buffer[] = [];
    this.#behind = behind;
    this.#socket.pause();
    const frame = await parseLargeFrame(data, this.#host.limits.socketPayloadBytes);
    this.#behind = undefined;
    if (this.#closing) return;
    this.#accept(frame);
    this.#resume();
    for (const next of behind) this.#receive(next);
  }

  /** Reads on, unless something that was received has to be done first. */
  #resume(): void {
    if (!this.authenticating && this.#behind === undefined && !this.#sendQueue.isSlow) this.#socket.resume();
  }

  #accept(frame: Incoming): void {
    if (this.#closing) return;
    if (this.#authentication.queue(frame)) return;
    if (frame.type === 'invalid') this.#rejectFrame(frame.requestId, frame.reason, frame.code);
    else if (frame.type === 'authenticate') this.#runTask(() => this.#authenticate(frame, this.#credentialOf(frame)));
    else if (this.#authentication.principal === undefined) this.#open(frame);
    else this.#handle(frame, this.#authentication.principal);
  }

  /** The AI SDK's transport authenticates by the headers of its first frame. */
  #open(frame: Exclude<Frame, { type: 'authenticate' }>): void {
    const token = frame.type === 'send' || frame.type === 'resume' ? frame.headers?.authorization : undefined;
    if (token === undefined)
      this.#rejectFrame(frame.requestId, 'The first frame must be authenticate, or hold an ID token in its headers.');
    else this.#runTask(() => this.#authenticate(frame as AuthenticationFrame, { token }));
  }

  #credentialOf({ token = '', csrf_token: csrf }: Extract<Frame, { type: 'authenticate' }>): SocketCredential {
    return csrf === undefined ? { token } : { csrf, secret: this.#sessionSecret, userId: this.userId };
  }

  /** Sends an error; closes the socket if it is not authenticated. */
  #rejectFrame(requestId: string, message: string, code: 'invalid_request' | 'too_large' = 'invalid_request'): void {
    this.send(errorFrame(requestId, new AppError(code, message)));
    if (this.userId === undefined) this.close(CLOSE.authentication, 'authentication expected');
  }

  #handle(frame: Exclude<Frame, { type: 'authenticate' }>, principal: Principal): void {
    if (frame.type === 'abort') this.#abort(frame.requestId, frame.id);
    else if (frame.type === 'send' || frame.type === 'resume') this.#chat(frame, principal);
    else this.#request(frame, principal);
  }

  /** Reading pauses, and frames are queued, until the authentication is done. */
  async #authenticate(frame: AuthenticationFrame, credential: SocketCredential): Promise<void> {
    this.#socket.pause();
    await this.#authentication.run(frame, credential);
    const queued = this.#authentication.finish();
    if (this.#closing) return;
    this.#resume();
    for (const next of queued) this.#accept(next);
  }

  /** Closes for exceeding a limit: the client keeps its token and reconnects later. */
  closeForNow(message: string): void {
    this.close(CLOSE.rate, JSON.stringify({ retry_after: RETRY_SECONDS, message }));
  }

  #request(frame: RequestFrame, principal: Principal): void {
    this.#runRequest((requests) => requests.run(frame.requestId, this.#host.service.handlerOf(principal, frame)));
  }

  #chat(frame: ChatFrame, principal: Principal): void {
    const { chat, admission } = this.#host.service;
    const open = async () => {
      if (frame.type === 'resume') return chat.resume(principal, frame.id);
      // The answer goes on by itself: only its beginning is a request.
      admission.begin(budgetOf(principal))();
      return chat.send(principal, { ...frame, ...frame.body });
    };
    this.#runRequest((requests) => requests.stream(frame.requestId, open));
  }

  #runRequest(run: (requests: InFlightRequests) => Promise<void>): void {
    this.#requests ??= new InFlightRequests(this.#host, this.#sendQueue, () => this.#host.requestFinished(this));
    const requests = this.#requests;
    this.#runTask(() => run(requests));
  }

  /** Runs an asynchronous task; its failure terminates this socket only. */
  #runTask(work: () => Promise<void>): void {
    work().catch((error: unknown) => {
      this.#host.logger.error({ err: describeError(error) }, 'a socket failed');
      this.#socket.terminate();
    });
  }

  /** Without `id` it aborts the request of its own `requestId`, whose response is enough. */
  #abort(requestId: string, id: string | undefined): void {
    const aborted = this.#requests?.abort(id ?? requestId) ?? false;
    if (id !== undefined) this.send(resultFrame(requestId, { data: { aborted } }));
  }

  send(frame: string): void {
    void this.#sendQueue.send(frame);
  }
}
