import type { Call } from './call.ts';
import type { ClientGrant } from './client-grant.ts';

/** Who reads and writes: the user in person, or a client. */
export type Context = Pick<Call, 'userId' | 'client'>;

/** The caller can't name its context: the user's own sockets share one, and each client has its own. */
export function contextOf({ client }: { client: Pick<ClientGrant, 'id'> | undefined }): string {
  return client === undefined ? 'user' : `client:${client.id}`;
}
