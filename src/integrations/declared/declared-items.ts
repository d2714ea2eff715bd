import { within } from '../../actions/shared/labels.ts';
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

const OWN_ID = ['id', 'documentId', 'spreadsheetId', 'presentationId'];

/**
 * Whether a part of a response, as `fields` selects it, names each item that it is of: others' ids, such as those of people
 * and permissions, tell nothing.
 *
 * @param method the discovery id
 */
export function namesItsItems(method: string, response: unknown): boolean {
  if (!isObject(response)) return false;
  const items = isListing(method) ? Object.values(response).filter(Array.isArray).flat() : [response];
  return items.every((item) => isObject(item) && OWN_ID.some((name) => typeof item[name] === 'string') && namesMessage(method, item));
}

/** A draft's message has an id of its own. */
function namesMessage(method: string, { message }: Record<string, unknown>): boolean {
  if (!method.startsWith('gmail.users.drafts.')) return true;
  return isObject(message) && typeof message.id === 'string' && typeof message.threadId === 'string';
}

/**
 * Under which names it may be remembered what a response repeats: a reader of a message or a thread may read what was put
 * into the thread.
 *
 * @param told the ids in the response; undefined: it doesn't name what it is of
 * @returns undefined: unknown ones, since the arguments name none either
 */
export function readNames(method: string, args: unknown, told: ItemIds | undefined): string[] | undefined {
  const named = itemIdsIn(args)?.items ?? [];
  if (told === undefined && (isListing(method) || named.length === 0)) return undefined;
  const { items, holders } = told ?? { items: [], holders: [] };
  const threads = method.startsWith('gmail.users.threads.') ? [...named, ...items] : method.startsWith('gmail.') ? holders : [];
  return [...items, ...threads.map(within)];
}

function isListing(method: string): boolean {
  return /\.(list|instances)$/.test(method);
}

/** Under which names it is remembered that they were written. */
export function writtenNames({ items, holders }: ItemIds): string[] {
  return [...items, ...holders.map(within)];
}

function texts(value: unknown): string[] {
  const listed: unknown[] = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [];
  return listed.filter((one) => typeof one === 'string' && one !== '') as string[];
}
