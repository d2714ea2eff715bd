import { splitAt } from './css-scanner.ts';

/** A sign that stands for a list is written out, again and again at each level: longer ones are of no real page. */
const MAX_LENGTH = 2_000;

/**
 * The selectors of a rule inside of another as those of a rule of its own (CSS Nesting 1, section 3.1): `&` stands for the
 * rule around it, of whose elements the selected one is a descendant otherwise.
 *
 * @returns '' for more than is read, which selects nothing
 */
export function unnested(selectors: string, around: string): string {
  if (selectors.length + around.length > MAX_LENGTH) return '';
  const parent = `:is(${around})`;
  const written = splitAt(selectors, ',').map((one) => (one.includes('&') ? one.replaceAll('&', parent) : `${parent} ${one}`));
  const list = written.join(',');
  return list.length > MAX_LENGTH ? '' : list;
}
