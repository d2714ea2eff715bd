import { type AssociatedData, type DataKey, open, seal } from '../../crypto/envelope.ts';
import type { EventTriggerName } from '../definition/trigger.ts';

/** What started a run: ids, and no text of others. */
export interface RunEvent {
  event: EventTriggerName;
  account: string;
  /** Further ids, by what they are of: `message`, `thread`, `file`, … */
  [id: string]: string;
}

interface Place {
  userId: string;
  /** Of the run. */
  id: string;
}

/** What started a run, encrypted for its row. */
export function sealRunEvent(key: DataKey, place: Place, event: RunEvent): Buffer {
  return seal(key, placeOf(place), JSON.stringify(event));
}

/** @throws AppError `internal` when it can't be decrypted */
export function openRunEvent(key: DataKey, place: Place, sealed: Uint8Array): RunEvent {
  return JSON.parse(open(key, placeOf(place), sealed).toString('utf8')) as RunEvent;
}

function placeOf({ userId, id }: Place): AssociatedData {
  return { table: 'automation_runs', column: 'event', userId, rowId: id };
}
