import { asciiLowerCase } from '../../validation/lower-case.ts';
import { unescaped } from './css-scanner.ts';

/** An element as selectors see it. */
export interface SelectedElement {
  /** Lower case. */
  name: string;
  id: string;
  classes: readonly string[];
  attributes: readonly [name: string, value: string][];
}

interface Compound {
  name: string | undefined;
  id: string | undefined;
  classes: string[];
  attributes: { name: string; operator: string; value: string }[];
  /** How the compound before it is related: an ancestor, the parent, or nothing. */
  relation: 'ancestor' | 'parent' | undefined;
}

export interface Selector {
  /** The element's own one first, then outwards. */
  compounds: Compound[];
  /** Ids, classes and attributes, names (Selectors 4, section 17), as one number. */
  specificity: number;
}

/** A simple selector, or what is between two compounds. */
const TOKEN = /([\s>+~]+)|(\*)|([#.]|::?)?((?:[\w-]|[\u0080-\u{10ffff}]|\\[^\n])+)|\[([^\]]*)\]/uy;
const ATTRIBUTE = /^([\w:-]+)\s*([~|^$*]?=)?(.*)$/s;
/** Of the pseudo-classes, only what holds for elements that nobody points at. */
const ALWAYS = new Set([':link', ':any-link', ':root', ':enabled']);

/**
 * Selectors of names, classes, ids and attributes, also of descendants and children.
 *
 * @returns undefined for others: of states, pseudo-elements, places among siblings
 */
export function readSelector(text: string): Selector | undefined {
  const compounds: Compound[] = [newCompound(undefined)];
  let specificity = 0;
  const source = text.trim();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.length) {
    const found = TOKEN.exec(source);
    const current = compounds[0];
    if (found === null || current === undefined) return undefined;
    const combinator = found[1]?.trim();
    if (combinator === undefined) {
      const weight = addSimple(current, found);
      if (weight === undefined) return undefined;
      specificity += weight;
    } else if (combinator === '' || combinator === '>') compounds.unshift(newCompound(combinator === '>' ? 'parent' : 'ancestor'));
    else return undefined;
  }
  return source === '' ? undefined : { compounds, specificity };
}

function newCompound(relation: Compound['relation']): Compound {
  return { name: undefined, id: undefined, classes: [], attributes: [], relation };
}

/** @returns its specificity; undefined if it can't be judged */
function addSimple(compound: Compound, [, , all, mark, written = '', attribute]: RegExpExecArray): number | undefined {
  if (all !== undefined) return 0;
  if (attribute !== undefined) return addAttribute(compound, attribute.trim());
  const name = unescaped(written);
  if (mark === '#') compound.id = name;
  else if (mark === '.') compound.classes.push(name);
  else if (mark === undefined) compound.name = asciiLowerCase(name);
  else if (!ALWAYS.has(mark + asciiLowerCase(name))) return undefined;
  else if (asciiLowerCase(name) === 'root') compound.name = 'html';
  return mark === '#' ? 10_000 : mark === undefined ? 1 : 100;
}

function addAttribute(compound: Compound, source: string): number | undefined {
  const [, name, operator = '', rest = ''] = ATTRIBUTE.exec(source) ?? [];
  const value = /^(?:"[^"]*"|'[^']*'|[^\s"']+)/.exec(rest.trim())?.[0] ?? '';
  if (name === undefined || (operator === '' && rest.trim() !== '')) return undefined;
  const isQuoted = value.startsWith('"') || value.startsWith("'");
  compound.attributes.push({ name: asciiLowerCase(name), operator, value: unescaped(isQuoted ? value.slice(1, -1) : value) });
  return 100;
}

/** @param path the element's ancestors, the root first @param left steps; counted down, nothing matches below 0 */
export function selects(
  { compounds }: Selector,
  element: SelectedElement,
  path: readonly SelectedElement[],
  left: { steps: number },
): boolean {
  const from = (index: number, candidate: SelectedElement, above: number): boolean => {
    left.steps -= 1;
    const compound = compounds[index];
    if (compound === undefined || left.steps < 0 || !isCompound(compound, candidate)) return false;
    if (compound.relation === undefined) return true;
    for (let at = above; at >= 0; at -= 1) {
      const ancestor = path[at];
      if (ancestor !== undefined && from(index + 1, ancestor, at - 1)) return true;
      if (compound.relation === 'parent' || left.steps < 0) return false;
    }
    return false;
  };
  return from(0, element, path.length - 1);
}

function isCompound({ name, id, classes, attributes }: Compound, element: SelectedElement): boolean {
  if (name !== undefined && name !== element.name) return false;
  if (id !== undefined && id !== element.id) return false;
  return classes.every((one) => element.classes.includes(one)) && attributes.every((one) => hasAttribute(one, element));
}

function hasAttribute({ name, operator, value }: Compound['attributes'][number], { attributes }: SelectedElement): boolean {
  const [, found] = attributes.find(([one]) => one === name) ?? [];
  if (found === undefined) return false;
  if (operator === '') return true;
  if (operator === '=') return found === value;
  if (value === '') return false;
  if (operator === '~=') return found.split(/\s+/).includes(value);
  if (operator === '|=') return found === value || found.startsWith(`${value}-`);
  if (operator === '^=') return found.startsWith(value);
  return operator === '$=' ? found.endsWith(value) : found.includes(value);
}
