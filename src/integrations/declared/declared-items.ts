import { within } from '../../actions/labels.ts';
import { isObject } from '../../validation/is-object.ts';

/** The provider's resources have their ids under these names, in arguments and in responses. */
const IDS = new Set(
  'id ids documentId fileId eventId messageId threadId draftId spreadsheetId presentationId recurringEventId targetId commentId'.split(' '),
);
/** And what they are in under these: as a list, or as texts with commas between them. */
const HOLDERS = new Set(['parents', 'addParents', 'threadId', 'recurringEventId']);
const MAX_IDS = 10_000;

/** Ids of items, and of the folders, series and threads that they are in. */
export interface ItemIds {
  items: string[];
  holders: string[];
}

/** The ids in arguments or in a response. @returns undefined: more than can be looked up */
export function itemIdsIn(value: unknown): ItemIds | undefined {
  const [items, holders] = [new Set<string>(), new Set<string>()];
  const left: unknown[] = [value];
  while (left.length > 0 && items.size <= MAX_IDS) {
    const next = left.pop();
    if (!isObject(next)) {
      if (Array.isArray(next)) for (const one of next) left.push(one);
      continue;
    }
    for (const [key, one] of Object.entries(next)) {
      if (IDS.has(key)) for (const id of texts(one)) items.add(id);
      if (HOLDERS.has(key)) for (const id of texts(one)) holders.add(id);
      if (typeof one === 'object') left.push(one);
    }
  }
  return items.size > MAX_IDS ? undefined : { items: [...items], holders: [...holders] };
}

/** Under which names it is remembered that they were written. */
export function writtenNames({ items, holders }: ItemIds): string[] {
  return [...items, ...holders.map(within)];
}

function texts(value: unknown): string[] {
  const listed: unknown[] = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [];
  return listed.filter((one) => typeof one === 'string' && one !== '') as string[];
}
