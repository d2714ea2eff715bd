import type { EventFeed } from '../events/event-feed.ts';
import type { Caller } from '../http/endpoint.ts';
import type { RequestFrame } from './frames.ts';
import type { RequestsHost, Work } from './running-requests.ts';

/** What all connections (`One`) share. */
export interface ConnectionHost<One> extends RequestsHost {
  readonly feed: EventFeed;
  authenticate(token: string): Promise<Caller>;
  /** Takes a place among the user's sockets until {@link closed}; false = all taken. */
  admit(userId: string, connection: One): boolean;
  /** Counts messages of all the user's sockets; false = too many. */
  allowsMessages(userId: string, count: number): boolean;
  /** Counts bytes of all the user's sockets; false = too many. */
  allowsBytes(userId: string, count: number): boolean;
  /** Revision of the integrations in force. */
  revision(): string;
  work(userId: string, frame: RequestFrame): Work;
  /** A request was answered. */
  settled(connection: One): void;
  /** @param code of its close frame; 1006 where none came (RFC 6455, 7.1.5) */
  closed(connection: One, code: number): void;
}
