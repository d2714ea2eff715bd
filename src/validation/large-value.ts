/** Work on more takes some milliseconds at each step. */
const MAX_VALUES = 2_000;
const MAX_CHARACTERS = 128 * 1024;

/** Of a JSON value: of all that is in it, and of its texts and names. */
export interface Size {
  values: number;
  characters: number;
}

/** As {@link isLargeValue}, of a value that was measured. */
export function isLarge({ values, characters }: Size): boolean {
  return values > MAX_VALUES || characters > MAX_CHARACTERS;
}

/** Whether work on a JSON value is divided into turns of the event loop. No more of it is looked at than that takes. */
export function isLargeValue(value: unknown): boolean {
  return !fits(value, { values: MAX_VALUES, characters: MAX_CHARACTERS });
}

/** @param left what there is room for, which is reduced */
function fits(value: unknown, left: Size): boolean {
  left.values -= 1;
  if (typeof value === 'string') left.characters -= value.length;
  if (left.values < 0 || left.characters < 0) return false;
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (!fits(item, left)) return false;
    return true;
  }
  for (const name in value) {
    left.characters -= name.length;
    if (!fits((value as Record<string, unknown>)[name], left)) return false;
  }
  return true;
}
