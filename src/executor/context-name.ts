import type { Call } from './call.ts';

/** Who reads and writes: the user in person, or a client. */
export type Context = Pick<Call, 'userId' | 'client'>;

/** The caller can't name its context: the user's own sockets share one, and each client has its own. */
export function contextOf({ client }: Pick<Context, 'client'>): string {
  return client === undefined ? 'user' : `client:${client.id}`;
}
