import { asciiLowerCase } from '../../validation/lower-case.ts';
import { type Declaration, readDeclarations } from './css-declarations.ts';
import { nextMark, withoutComments } from './css-scanner.ts';
import { normalized } from './css-values.ts';
import { appliesOnScreen } from './media-queries.ts';

/** A rule that applies on a screen. */
export interface StyleRule {
  /** A list. */
  selectors: string;
  declarations: Declaration[];
}

/** Nested conditions of a real sheet are two or three. */
const MAX_DEPTH = 8;

/**
 * The rules of a style sheet that apply on a screen (CSS Syntax 3, section 5.4.1). Nothing is imported; fonts,
 * animations and rules inside of others are left out.
 */
export function readRules(css: string): StyleRule[] {
  const rules: StyleRule[] = [];
  addRules(withoutComments(css).replace(/<!--|-->/g, ' '), rules, MAX_DEPTH);
  return rules;
}

function addRules(css: string, rules: StyleRule[], depth: number): void {
  for (let from = 0; from < css.length; ) {
    const brace = nextMark(css, from, '{;');
    const prelude = css.slice(from, brace).trim();
    if (css.charAt(brace) !== '{') {
      // Only at-rules end in a semicolon; of anything else, it is a part of the selector, which is then invalid.
      from = brace + 1;
      if (prelude.startsWith('@')) continue;
    }
    const start = css.charAt(brace) === '{' ? brace : nextMark(css, from, '{');
    const end = nextMark(css, start + 1, '}');
    const isValid = start === brace;
    if (isValid) addRule(prelude, css.slice(start + 1, end), rules, depth);
    from = end + 1;
  }
}

function addRule(prelude: string, block: string, rules: StyleRule[], depth: number): void {
  if (!prelude.startsWith('@')) {
    rules.push({ selectors: prelude, declarations: readDeclarations(block) });
    return;
  }
  const [, name = '', condition = ''] = /^@([\w-]+)(.*)$/s.exec(prelude) ?? [];
  if (depth > 0 && applies(asciiLowerCase(name), normalized(condition))) addRules(block, rules, depth - 1);
}

function applies(name: string, condition: string): boolean {
  if (name === 'media') return appliesOnScreen(condition);
  return name === 'layer' || (name === 'supports' && !/^not\b/.test(condition));
}
