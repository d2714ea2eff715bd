import type { Call } from './call.ts';

/** The caller can't name its context: the user's own sockets share one, and each client has its own. */
export function contextOf({ client }: Pick<Call, 'client'>): string {
  return client === undefined ? 'user' : `client:${client.id}`;
}
