/** Stands for items whose ids aren't known: those of a large folder that weren't read, those of a response that doesn't name them. */
export const UNKNOWN_ITEM = '*';

/** The ids in an argument: a text, or texts, with commas between several. */
export function listedIds(value: unknown): string[] {
  return [value].flat().flatMap((one) => (typeof one === 'string' ? one.split(',').filter((id) => id !== '') : []));
}
