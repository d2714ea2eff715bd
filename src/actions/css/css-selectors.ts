import { asciiLowerCase } from '../../validation/lower-case.ts';
import { nextMark, splitAt, unescaped } from './css-scanner.ts';
import { ALIASES, NEVER, UNJUDGED } from './pseudo-classes.ts';

/** How a compound is related to the one before it in the text. */
type Relation = 'ancestor' | 'parent' | 'previous' | 'sibling';

/** Among siblings, or those of the same name: the first is 1. Every `step`th one from `offset` on. */
export interface Place {
  step: number;
  offset: number;
  isOfType: boolean;
}

export interface Compound {
  name: string | undefined;
  id: string | undefined;
  classes: string[];
  attributes: { name: string; operator: string; value: string }[];
  /** Of each list, one selects the element, or none does. */
  lists: { selectors: Selector[]; isNegated: boolean }[];
  places: Place[];
  /** It is of a state that no element of a message has, or of no element. */
  isNever: boolean;
  relation: Relation | undefined;
}

export interface Selector {
  /** The element's own one first, then outwards. */
  compounds: Compound[];
  /** Ids, classes and attributes, names (Selectors 4, section 17), as one number. */
  specificity: number;
  /** Whether it can be said what it selects: not with places that count from the last sibling, and contents. */
  isJudged: boolean;
}

const COMBINATORS: Record<string, Relation> = { '': 'ancestor', '>': 'parent', '+': 'previous', '~': 'sibling' };
/** A combinator, `*`, a name with its mark, or the start of an attribute. */
const TOKEN = /([\s>+~]+)|(\*)|([#.]|::?)?((?:[\w-]|[\u0080-\u{10ffff}]|\\[^\n])+)|\[/uy;
const ATTRIBUTE = /^([\w:-]+)\s*([~|^$*]?=)?(.*)$/s;
/** Counted from the first sibling: these are known when an element begins. */
const PLACES = new Set([':first-child', ':first-of-type', ':nth-child', ':nth-of-type']);
/** More than anyone writes. */
const MAX_COMPOUNDS = 100;
const MAX_DEPTH = 4;

/**
 * A list of selectors: of names, classes, ids, attributes, relations, and some pseudo-classes.
 *
 * @returns undefined if one of them is invalid, as then all are (Selectors 4, section 3.9)
 */
export function readSelectors(list: string): Selector[] | undefined {
  const selectors = splitAt(list, ',').map((text) => readSelector(text.trim(), MAX_DEPTH));
  return selectors.every((one) => one !== undefined) ? selectors : undefined;
}

function readSelector(source: string, depth: number): Selector | undefined {
  const selector: Selector = { compounds: [], specificity: 0, isJudged: true };
  let current = newCompound(undefined);
  let isEmpty = true;
  for (let at = 0; at < source.length; ) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(source);
    if (found === null || selector.compounds.length > MAX_COMPOUNDS) return undefined;
    const combinator = found[1]?.trim();
    if (combinator !== undefined) {
      const relation = COMBINATORS[combinator];
      if (relation === undefined || isEmpty) return undefined;
      selector.compounds.push(current);
      current = newCompound(relation);
    }
    isEmpty = combinator !== undefined;
    const end = isEmpty ? at + found[0].length : addSimple(selector, current, found, depth);
    if (end === undefined) return undefined;
    at = end;
  }
  if (isEmpty) return undefined;
  selector.compounds.push(current);
  selector.compounds.reverse();
  return selector;
}

function newCompound(relation: Relation | undefined): Compound {
  return { name: undefined, id: undefined, classes: [], attributes: [], lists: [], places: [], isNever: false, relation };
}

/** @returns the position after it; undefined if it is invalid */
function addSimple(selector: Selector, compound: Compound, found: RegExpExecArray, depth: number): number | undefined {
  const { 0: whole, 2: all, 3: mark, 4: written, input, index } = found;
  const end = index + whole.length;
  if (all !== undefined) return end;
  if (written === undefined) {
    const close = nextMark(input, end, ']');
    selector.specificity += 100;
    return addAttribute(compound, input.slice(end, close).trim()) ? close + 1 : undefined;
  }
  const name = unescaped(written);
  if (mark === '::' || mark === ':') {
    const close = input.charAt(end) === '(' ? nextMark(input, end + 1, ')') : end - 1;
    const isValid = addPseudo(selector, compound, mark + asciiLowerCase(name), input.slice(end + 1, close), depth);
    return isValid ? close + 1 : undefined;
  }
  if (mark === '#') compound.id = name;
  else if (mark === '.') compound.classes.push(name);
  else compound.name = asciiLowerCase(name);
  selector.specificity += mark === '#' ? 10_000 : mark === '.' ? 100 : 1;
  return end;
}

/** @returns whether it is valid */
function addPseudo(selector: Selector, compound: Compound, name: string, inside: string, depth: number): boolean {
  if (/^:(?:is|where|not|-webkit-any)$/.test(name)) return addList(selector, compound, name, inside, depth);
  selector.specificity += 100;
  const alias = ALIASES.get(name);
  if (alias !== undefined) compound.lists.push({ selectors: readSelectors(alias) ?? [], isNegated: false });
  else if (PLACES.has(name)) return addPlace(selector, compound, name, inside);
  else if (UNJUDGED.has(name)) selector.isJudged = false;
  else if (NEVER.has(name) || name.startsWith('::-webkit-')) compound.isNever = true;
  else return false;
  return true;
}

/** @returns whether it is valid */
function addPlace(selector: Selector, compound: Compound, name: string, inside: string): boolean {
  const isOfType = name.endsWith('-of-type');
  if (!name.startsWith(':nth')) {
    compound.places.push({ step: 0, offset: 1, isOfType });
    return true;
  }
  // Only those of some of the siblings are counted (Selectors 4, section 13.3.1), which isn't read.
  if (!isOfType && / of /i.test(inside)) {
    selector.isJudged = false;
    return true;
  }
  const place = readPlace(inside);
  if (place !== undefined) compound.places.push({ ...place, isOfType });
  return place !== undefined;
}

/** `2n + 1`, `odd`, `3` (CSS Syntax 3, section 6). */
function readPlace(source: string): Pick<Place, 'step' | 'offset'> | undefined {
  const written = asciiLowerCase(source).replace(/\s+/g, '');
  if (written === 'odd') return { step: 2, offset: 1 };
  if (written === 'even') return { step: 2, offset: 0 };
  const [, step, offset] = /^(?:([+-]?\d{0,9})n)?([+-]?\d{1,9})?$/.exec(written) ?? [];
  if (step === undefined && offset === undefined) return undefined;
  return { step: step === undefined ? 0 : /\d/.test(step) ? Number(step) : Number(`${step}1`), offset: Number(offset ?? 0) };
}

/** `:is` and `:where` forgive invalid selectors in them, `:not` doesn't (Selectors 4, sections 4.2 to 4.4). */
function addList(selector: Selector, compound: Compound, name: string, inside: string, depth: number): boolean {
  if (depth === 0) return false;
  const isNegated = name === ':not';
  const read = splitAt(inside, ',').map((text) => readSelector(text.trim(), depth - 1));
  const selectors = read.filter((one) => one !== undefined);
  if (isNegated && selectors.length < read.length) return false;
  compound.lists.push({ selectors, isNegated });
  selector.isJudged &&= selectors.every((one) => one.isJudged);
  if (name !== ':where') selector.specificity += selectors.reduce((most, one) => Math.max(most, one.specificity), 0);
  return true;
}

/** @returns whether it is valid */
function addAttribute(compound: Compound, source: string): boolean {
  const [, name, operator = '', rest = ''] = ATTRIBUTE.exec(source) ?? [];
  const value = /^(?:"[^"]*"|'[^']*'|[^\s"']+)/.exec(rest.trim())?.[0] ?? '';
  if (name === undefined || (operator === '' && rest.trim() !== '')) return false;
  const isQuoted = value.startsWith('"') || value.startsWith("'");
  compound.attributes.push({ name: asciiLowerCase(name), operator, value: unescaped(isQuoted ? value.slice(1, -1) : value) });
  return true;
}
