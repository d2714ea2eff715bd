import { asciiLowerCase } from '../../validation/lower-case.ts';
import type { Answer } from './css-conditions.ts';
import { type Declaration, readDeclarations } from './css-declarations.ts';
import { nextMark, withoutComments } from './css-scanner.ts';
import { normalized } from './css-values.ts';
import { appliesOnScreen } from './media-queries.ts';
import { unnested } from './nested-selectors.ts';
import { isSupported } from './supports-conditions.ts';

/** A rule that applies on a screen, or may. */
export interface StyleRule {
  /** A list. */
  selectors: string;
  declarations: Declaration[];
  /** Whether it applies isn't known. */
  isUncertain: boolean;
}

/** Nested conditions of a real sheet are two or three, and so are nested rules, which take longer to read. */
const MAX_DEPTH = 8;
const MAX_NESTED_RULES = 3;
/** Characters of the selectors of nested rules, which repeat those around them; rules beyond aren't read. */
const MAX_NESTED_SELECTORS = 300_000;

/**
 * The rules of a style sheet that apply on a screen (CSS Syntax 3, section 5.4.1). Nothing is imported; fonts and animations
 * are left out. Rules inside of others (CSS Nesting 1) follow these.
 */
export function readRules(css: string): StyleRule[] {
  const reading = new SheetReading();
  reading.addRules(withoutComments(css).replace(/<!--|-->/g, ' '), MAX_DEPTH);
  return reading.rules;
}

class SheetReading {
  readonly rules: StyleRule[] = [];
  #nested = 0;
  #isUncertain = false;

  /** @param around the selectors of the rule in which these are, among declarations; undefined for a sheet */
  addRules(css: string, depth: number, around?: string): void {
    for (let from = 0; from < css.length; ) {
      const brace = nextMark(css, from, '{;');
      const prelude = css.slice(from, brace).trim();
      if (css.charAt(brace) !== '{') {
        // In a sheet, only at-rules end in a semicolon; of anything else, it is a part of the selector, which is then invalid.
        from = brace + 1;
        if (around !== undefined || prelude.startsWith('@')) continue;
      }
      const start = css.charAt(brace) === '{' ? brace : nextMark(css, from, '{');
      const end = nextMark(css, start + 1, '}');
      const isValid = start === brace;
      if (isValid) this.#addRule(prelude, css.slice(start + 1, end), depth, around);
      from = end + 1;
    }
  }

  #addRule(prelude: string, block: string, depth: number, around: string | undefined): void {
    if (!prelude.startsWith('@')) {
      this.#addBlock(block, depth, around === undefined ? prelude : this.#unnested(prelude, around));
      return;
    }
    const [, name = '', condition = ''] = /^@([\w-]+)(.*)$/s.exec(prelude) ?? [];
    const answer = applies(asciiLowerCase(name), normalized(condition));
    if (depth === 0 || answer === false) return;
    const before = this.#isUncertain;
    this.#isUncertain ||= answer === undefined;
    if (around === undefined) this.addRules(block, depth - 1);
    else this.#addBlock(block, depth - 1, around);
    this.#isUncertain = before;
  }

  /** What a block of declarations says, and the rules in it. */
  #addBlock(block: string, depth: number, selectors: string): void {
    if (selectors === '') return;
    this.rules.push({ selectors, declarations: readDeclarations(block), isUncertain: this.#isUncertain });
    if (depth > 0 && block.includes('{')) this.addRules(block, Math.min(depth, MAX_NESTED_RULES) - 1, selectors);
  }

  /** @returns '' when there are too many */
  #unnested(selectors: string, around: string): string {
    if (this.#nested > MAX_NESTED_SELECTORS) return '';
    const list = unnested(selectors, around);
    this.#nested += around.length + list.length;
    return list;
  }
}

function applies(name: string, condition: string): Answer {
  if (name === 'media') return appliesOnScreen(condition);
  if (name === 'supports') return isSupported(condition);
  return name === 'container' ? undefined : name === 'layer';
}
