import type { Compound, Place, Selector } from './css-selectors.ts';

/** An element as selectors see it. */
export interface SelectedElement {
  /** Lower case. */
  name: string;
  id: string;
  classes: ReadonlySet<string>;
  /** Among its siblings, and among those of its name: the first is 1. */
  place: number;
  placeOfType: number;
  /** The value of an attribute, its character references decoded. */
  attribute(name: string): string | undefined;
  /** The last ones that have begun in it. */
  children: SelectedElement[];
}

/** Counted down; nothing is selected below 0. */
export interface Steps {
  steps: number;
}

/** @param path the element's ancestors, the root first */
export function selects(selector: Selector, element: SelectedElement, path: readonly SelectedElement[], left: Steps): boolean {
  return new Matching(path, left).matches(selector, element, path.length - 1) && left.steps >= 0;
}

class Matching {
  readonly #path: readonly SelectedElement[];
  readonly #left: Steps;

  constructor(path: readonly SelectedElement[], left: Steps) {
    this.#path = path;
    this.#left = left;
  }

  /** @param above the place of the element's parent in the path */
  matches({ compounds }: Selector, element: SelectedElement, above: number): boolean {
    return this.#from(compounds, 0, element, above);
  }

  #from(compounds: readonly Compound[], index: number, element: SelectedElement, above: number): boolean {
    this.#left.steps -= 1;
    const compound = compounds[index];
    if (compound === undefined || this.#left.steps < 0 || !this.#isCompound(compound, element, above)) return false;
    const { relation } = compound;
    if (relation === undefined) return true;
    if (relation === 'parent' || relation === 'ancestor') {
      const last = relation === 'parent' ? above : 0;
      for (let at = above; at >= last && this.#left.steps >= 0; at -= 1) {
        const ancestor = this.#path[at];
        if (ancestor !== undefined && this.#from(compounds, index + 1, ancestor, at - 1)) return true;
      }
      return false;
    }
    const siblings = this.#siblingsBefore(element, above);
    return siblings.slice(relation === 'previous' ? -1 : 0).some((one) => this.#from(compounds, index + 1, one, above));
  }

  #isCompound(compound: Compound, element: SelectedElement, above: number): boolean {
    const { name, id, classes, attributes, lists, places, isNever } = compound;
    if (isNever || (name !== undefined && name !== element.name) || (id !== undefined && id !== element.id)) return false;
    if (!classes.every((one) => element.classes.has(one)) || !attributes.every((one) => this.#hasAttribute(one, element))) return false;
    if (!places.every((one) => isAt(one, element))) return false;
    return lists.every(({ selectors, isNegated }) => selectors.some((one) => this.matches(one, element, above)) !== isNegated);
  }

  #siblingsBefore(element: SelectedElement, above: number): SelectedElement[] {
    const { children = [] } = this.#path[above] ?? {};
    const at = children.indexOf(element);
    return at === -1 ? children : children.slice(0, at);
  }

  #hasAttribute({ name, operator, value }: Compound['attributes'][number], element: SelectedElement): boolean {
    const found = element.attribute(name);
    if (found === undefined) return false;
    // A long value takes longer.
    this.#left.steps -= Math.floor(found.length / 100);
    if (operator === '') return true;
    if (operator === '=') return found === value;
    if (value === '') return false;
    if (operator === '~=') return found.split(/\s+/).includes(value);
    if (operator === '|=') return found === value || found.startsWith(`${value}-`);
    if (operator === '^=') return found.startsWith(value);
    return operator === '$=' ? found.endsWith(value) : found.includes(value);
  }
}

function isAt({ step, offset, isOfType }: Place, { place, placeOfType }: SelectedElement): boolean {
  const behind = (isOfType ? placeOfType : place) - offset;
  return step === 0 ? behind === 0 : behind % step === 0 && behind / step >= 0;
}
