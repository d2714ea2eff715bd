import type { ChatStream } from '../assistant/stream/chat-stream.ts';
import type { ChatRequest } from '../assistant/threads/chat-request.ts';
import type { EventFeed } from '../events/event-feed.ts';
import type { FirstParty, Principal } from '../principal.ts';
import type { Admission } from '../rate-limit/admission.ts';
import type { RequestFrame } from './frames/frames.ts';
import type { RequestHandler, RequestsHost } from './requests/in-flight-requests.ts';

/** Who uses a socket; the user in person perhaps by a session. */
export type SocketPrincipal = Principal & Pick<FirstParty, 'session'>;

/** The assistant, as sockets use it. */
export interface ChatService {
  /** Begins a run. @throws AppError */
  send(principal: Principal, request: ChatRequest): Promise<ChatStream>;
  /** The run of a thread, from its beginning; undefined: none is running. @throws AppError */
  resume(principal: Principal, threadId: string): Promise<ChatStream | undefined>;
}

/** What a frame authenticates with: a token, or the CSRF token of the session whose cookie (`secret`) came with the upgrade. */
export type SocketCredential =
  | { token: string }
  | {
      csrf: string;
      secret: string | undefined;
      /** Whose socket it is already: any session of this user renews it. */
      userId: string | undefined;
    };

/** What sockets need of the service. */
export interface SocketService {
  readonly feed: EventFeed;
  /** @throws AppError */
  authenticate(credential: SocketCredential): Promise<SocketPrincipal>;
  /** Revision of the integrations in force. */
  revision(): string;
  readonly chat: ChatService;
  readonly admission: Admission;
  handlerOf(principal: Principal, frame: RequestFrame): RequestHandler;
}

/** What all connections (`One`) share. */
export interface ConnectionHost<One> extends RequestsHost {
  readonly service: SocketService;
  /** Milliseconds since 1970, by which tokens expire. */
  timeOfDay(): number;
  /** Counts the connection towards the sockets of a budget until {@link connectionClosed}; false: the limit is reached. */
  admit(budget: string, connection: One): boolean;
  /** Counts messages of all sockets of a budget; false: the limit is reached. */
  allowsMessages(budget: string, count: number): boolean;
  /** Counts bytes of all sockets of a budget; false: the limit is reached. */
  allowsBytes(budget: string, count: number): boolean;
  /** The response to a request was sent. */
  requestFinished(connection: One): void;
  /** @param code of its close frame; 1006: none was received (RFC 6455, 7.1.5) */
  connectionClosed(connection: One, code: number): void;
}
