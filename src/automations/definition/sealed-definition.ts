import { type AssociatedData, type DataKey, open, seal } from '../../crypto/envelope.ts';
import type { Definition } from './definition.ts';

interface Place {
  userId: string;
  id: string;
}

/** An automation's definition, encrypted for its row. */
export function sealDefinition(key: DataKey, place: Place, definition: Definition): Buffer {
  return seal(key, placeOf(place), JSON.stringify(definition));
}

/** @throws AppError `internal` when it can't be decrypted */
export function openDefinition(key: DataKey, place: Place, sealed: Uint8Array): Definition {
  return JSON.parse(open(key, placeOf(place), sealed).toString('utf8')) as Definition;
}

function placeOf({ userId, id }: Place): AssociatedData {
  return { table: 'automations', column: 'definition', userId, rowId: id };
}
