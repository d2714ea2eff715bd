import type { Source } from '../actions/shared/labels.ts';
import { isObject } from '../validation/is-object.ts';

/** Members that hold an item's own id, in the order in which they count, and its name. */
const IDS = ['id', 'key', 'uuid', 'identifier'];
const NAMES = ['title', 'name', 'subject', 'summary'];
const ID_KEY = /^(?:id|ids|key|uuid|identifier|.*(?:_id|_ids|Id|Ids))$/;
const MAX_ITEMS = 1_000;
const MAX_ID = 1_000;

/** The items that a structured result holds: objects that have an id. */
export function itemsIn(structured: unknown): Source[] {
  const found: Source[] = [];
  visit(structured, (object) => {
    const id = IDS.map((key) => idOf(object[key])).find((one) => one !== undefined);
    const name = NAMES.map((key) => object[key]).find((one) => typeof one === 'string');
    if (id !== undefined) found.push({ item: id, integrity: 'others', ...(typeof name === 'string' && { name }) });
    return found.length < MAX_ITEMS;
  });
  return found;
}

/** The ids that a value names, in arguments or in a result. */
export function idsNamedIn(value: unknown): string[] {
  const found = new Set<string>();
  visit(value, (object) => {
    for (const [key, one] of Object.entries(object)) {
      if (ID_KEY.test(key)) for (const id of [one].flat().map(idOf)) if (id !== undefined) found.add(id);
    }
    return found.size < MAX_ITEMS;
  });
  return [...found];
}

function idOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' && value.length <= MAX_ID ? value : undefined;
}

/** Visits objects, outer ones first, until the visitor says that it is enough. */
function visit(root: unknown, visitor: (object: Record<string, unknown>) => boolean): void {
  const left: unknown[] = [root];
  for (const value of left) {
    if (Array.isArray(value)) for (const one of value) left.push(one);
    if (!isObject(value)) continue;
    if (!visitor(value)) return;
    for (const one of Object.values(value)) if (typeof one === 'object') left.push(one);
  }
}
