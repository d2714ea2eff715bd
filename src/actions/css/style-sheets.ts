import type { Declaration } from './css-declarations.ts';
import { readDeclarations } from './css-declarations.ts';
import { readProperty, type Specified } from './css-properties.ts';
import { readRules } from './css-rules.ts';
import { readSelector, type SelectedElement, type Selector, selects } from './css-selectors.ts';

interface Statement {
  value: Specified;
  isImportant: boolean;
}

interface Rule {
  selector: Selector;
  statements: Statement[];
  /** Specificity, then order. */
  rank: number;
}

/** More than a real page has. */
const MAX_RULES = 5_000;
/** Comparisons of all elements with rules; after them, sheets have no effect. */
const MAX_STEPS = 1_000_000;
const ORDERS = 1_000_000;

/** The style sheets of a page, as far as they decide what can be seen. */
export class StyleSheets {
  /** By what their elements have: `#id`, `.class`, a name, or `*`. */
  readonly #rules = new Map<string, Rule[]>();
  readonly #left = { steps: MAX_STEPS };
  #count = 0;
  /** A rule that can't be judged sets colors, so that nothing can be said about them. */
  hasUnknownColors = false;

  add(css: string): void {
    for (const { selectors, declarations } of readRules(css)) {
      const statements = statementsOf(declarations);
      if (statements.length > 0) for (const text of selectors) this.#addRule(text, statements);
    }
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
    const own = style === '' ? [] : statementsOf(readDeclarations(style));
    if (rules.length === 0 && own.length === 0) return hints;
    const statements = [...rules.sort((one, other) => one.rank - other.rank).flatMap((rule) => rule.statements), ...own];
    const ordered = [...statements.filter(({ isImportant }) => !isImportant), ...statements.filter(({ isImportant }) => isImportant)];
    const result: Specified = { ...hints };
    for (const { value } of ordered) Object.assign(result, value);
    return result;
  }

  #addRule(text: string, statements: Statement[]): void {
    const selector = readSelector(text);
    if (selector === undefined || this.#count >= MAX_RULES) {
      this.hasUnknownColors ||= statements.some(({ value }) => value.color !== undefined || value.background !== undefined);
      return;
    }
    this.#count += 1;
    const key = keyOf(selector);
    const rules = this.#rules.get(key) ?? [];
    this.#rules.set(key, rules);
    rules.push({ selector, statements, rank: selector.specificity * ORDERS + this.#count });
  }

  #matching(element: SelectedElement, path: readonly SelectedElement[]): Rule[] {
    const keys = new Set(['*', element.name, `#${element.id}`, ...element.classes.map((one) => `.${one}`)]);
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

function statementsOf(declarations: readonly Declaration[]): Statement[] {
  return declarations.flatMap(({ name, value, isImportant }) => {
    const read = readProperty(name, value);
    return read === undefined ? [] : [{ value: read, isImportant }];
  });
}
