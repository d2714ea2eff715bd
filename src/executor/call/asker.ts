import type { Call } from './call.ts';

/** Who asks, and for whom an allowance holds: the user's own front ends, the assistant in any conversation, or one client. */
export interface Asker {
  asker: 'user' | 'assistant' | 'client';
  /** null: no client. */
  clientId: string | null;
}

export function askerOf({ client, thread }: Pick<Call, 'client' | 'thread'>): Asker {
  if (client !== undefined) return { asker: 'client', clientId: client.id };
  return { asker: thread === undefined ? 'user' : 'assistant', clientId: null };
}
