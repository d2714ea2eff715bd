import type { Declaration } from './css-declarations.ts';
import { readDeclarations } from './css-declarations.ts';
import { readProperty, type Specified } from './css-properties.ts';
import { readRules } from './css-rules.ts';
import { readSelectors, type Selector } from './css-selectors.ts';
import { type SelectedElement, selects } from './selector-matching.ts';

/** What the declarations of a block say together. */
interface Statements {
  normal: Specified;
  important: Specified;
}

interface Rule {
  selector: Selector;
  statements: Statements;
  /** Specificity, then order. */
  rank: number;
}

/** More than a real page has. Rules for a class or an id cost next to nothing, except for memory. */
const MAX_RULES = 50_000;
/** Characters of all sheets, far more than a real page has; what is behind them has no effect. */
const MAX_LENGTH = 1_000_000;
/** Comparisons of all elements with rules; after them, sheets have no effect. */
const MAX_STEPS = 1_000_000;
const ORDERS = 1_000_000;

/** The style sheets of a page, as far as they decide what can be seen. */
export class StyleSheets {
  /** By what their elements have: `#id`, `.class`, a name, or `*`. */
  readonly #rules = new Map<string, Rule[]>();
  #length = 0;
  readonly #left = { steps: MAX_STEPS };
  /** By specificity, the rank of the last rule that isn't just for a name, or for all. */
  readonly #barriers = new Map<number, number>();
  #count = 0;
  /** A rule that can't be judged sets colors, so that nothing can be said about them. */
  hasUnknownColors = false;

  add(css: string): void {
    for (const { selectors, declarations, isUncertain } of readRules(css.slice(0, MAX_LENGTH - this.#length))) {
      const statements = statementsOf(declarations);
      if (statements === undefined) continue;
      if (isUncertain) this.#addUncertain(statements);
      else for (const one of readSelectors(selectors) ?? []) this.#addRule(one, statements);
    }
    this.#length = Math.min(MAX_LENGTH, this.#length + css.length);
  }

  /**
   * What the sheets and its own attribute say about an element (CSS Cascade 4, section 6).
   *
   * @param style the `style` attribute
   * @param hints what other attributes say: the weakest
   * @param path its ancestors, the root first
   */
  specified(element: SelectedElement, style: string, hints: Specified, path: readonly SelectedElement[]): Specified {
    const rules = this.#rules.size === 0 || this.#left.steps < 0 ? [] : this.#matching(element, path);
    const own = style === '' ? undefined : statementsOf(readDeclarations(style));
    if (rules.length === 0 && own === undefined) return hints;
    const statements = rules.sort((one, other) => one.rank - other.rank).map((rule) => rule.statements);
    if (own !== undefined) statements.push(own);
    const result: Specified = { ...hints };
    for (const { normal } of statements) Object.assign(result, normal);
    for (const { important } of statements) Object.assign(result, important);
    return result;
  }

  #addRule(selector: Selector, statements: Statements): void {
    if (selector.compounds.some(({ isNever }) => isNever)) return;
    if (!selector.isJudged || this.#count >= MAX_RULES) {
      this.#addUncertain(statements);
      return;
    }
    this.#count += 1;
    const key = keyOf(selector);
    const rules = this.#rules.get(key) ?? [];
    this.#rules.set(key, rules);
    const { specificity } = selector;
    const rank = specificity * ORDERS + this.#count;
    const last = rules.findLast((one) => one.selector.specificity === specificity);
    if (!isBare(selector)) this.#barriers.set(specificity, rank);
    else if (last !== undefined && last.rank > (this.#barriers.get(specificity) ?? 0)) {
      // Nothing of the same weight is between them: they are one rule.
      last.statements = together(last.statements, statements);
      return;
    }
    rules.push({ selector, statements, rank });
  }

  #addUncertain({ normal, important }: Statements): void {
    this.hasUnknownColors ||= setsColors(normal) || setsColors(important);
  }

  #matching(element: SelectedElement, path: readonly SelectedElement[]): Rule[] {
    const keys = new Set(['*', element.name, `#${element.id}`, ...[...element.classes].map((one) => `.${one}`)]);
    return [...keys]
      .flatMap((key) => this.#rules.get(key) ?? [])
      .filter(({ selector }) => this.#left.steps >= 0 && selects(selector, element, path, this.#left));
  }
}

function keyOf({ compounds: [own] }: Selector): string {
  if (own?.id !== undefined) return `#${own.id}`;
  if (own?.classes[0] !== undefined) return `.${own.classes[0]}`;
  return own?.name ?? '*';
}

/** Whether it is only a name, or `*`. */
function isBare({ compounds, specificity }: Selector): boolean {
  return compounds.length === 1 && specificity <= 1 && compounds[0]?.lists.length === 0;
}

function together(one: Statements, other: Statements): Statements {
  return { normal: { ...one.normal, ...other.normal }, important: { ...one.important, ...other.important } };
}

/** @returns undefined if they say nothing of interest */
function statementsOf(declarations: readonly Declaration[]): Statements | undefined {
  const statements: Statements = { normal: {}, important: {} };
  let isEmpty = true;
  for (const { name, value, isImportant } of declarations) {
    const read = readProperty(name, value);
    if (read === undefined) continue;
    isEmpty = false;
    Object.assign(isImportant ? statements.important : statements.normal, read);
  }
  return isEmpty ? undefined : statements;
}

function setsColors({ color, fill, background }: Specified): boolean {
  return color !== undefined || fill !== undefined || background !== undefined;
}
