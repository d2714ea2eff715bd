import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';

/** What the library doesn't pass on, of the request that it is responding to. */
export interface CurrentRequest {
  request: IncomingMessage;
  /** Whose session at the service's own pages the browser has. */
  userId: string | undefined;
  /**
   * Published documents of clients are fetched when a user is asked. For the code and tokens, what the client had published
   * when its user permitted it something is good enough, and another host that is slow or away must not end the client's access.
   */
  mayFetch: boolean;
  /** Where the client wants its user to return. */
  redirectUri: string | undefined;
  /** Ids of clients whose documents were fetched for it. */
  fetched: Set<string>;
}

export const CURRENT_REQUEST = new AsyncLocalStorage<CurrentRequest>();
