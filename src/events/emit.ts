import type { Queryable } from '../database/database.ts';
import type { EventData, EventName } from './event-data.ts';

/**
 * Records an event for the user's front ends, and for a client that it is about, within the transaction that makes it true.
 * `data` holds ids and states only.
 */
export type RecordEvent = <Name extends EventName>(
  tx: Queryable,
  userId: string,
  event: Name,
  data: EventData[Name],
  clientId?: string | null,
) => Promise<void>;
