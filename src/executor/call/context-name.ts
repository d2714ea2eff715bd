import type { Call } from './call.ts';
import type { ClientGrant } from './client-grant.ts';

/** Who reads and writes: the user in person, a client, or the assistant in a thread. */
export type ConversationScope = Pick<Call, 'userId' | 'client' | 'thread'>;

/** The caller can't name its context: the user's own sockets share one, each client and each thread has its own. */
export function contextOf({ client, thread }: { client?: Pick<ClientGrant, 'id'> | undefined; thread?: string | undefined }): string {
  if (client !== undefined) return `client:${client.id}`;
  return thread === undefined ? 'user' : `thread:${thread}`;
}

/** Whether it is the user in person who calls, and not a client or the assistant, which may call again without knowing. */
export function isInPerson({ client, thread }: Pick<ConversationScope, 'client' | 'thread'>): boolean {
  return client === undefined && thread === undefined;
}

/** The contexts that receive the result of an approved call: the one that asked, and the user's, who approved it. */
export function receiversOf(call: Call): Call[] {
  return isInPerson(call) ? [call] : [call, { ...call, client: undefined, thread: undefined }];
}
