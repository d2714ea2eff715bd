import type { Queryable } from '../database/database.ts';

/**
 * Records an event for the user's front ends, and for a client that it is about, within the transaction that makes it true.
 * `data` holds ids and states only.
 */
export type Emit = (tx: Queryable, userId: string, event: string, data: Record<string, unknown>, clientId?: string | null) => Promise<void>;
