import { asciiLowerCase } from '../../validation/lower-case.ts';
import { type Declaration, readDeclarations } from './css-declarations.ts';
import { nextMark, splitAt, withoutComments } from './css-scanner.ts';
import { normalized, pixels } from './css-values.ts';

/** A rule that applies on a screen: its list of selectors, and its declarations. */
export interface StyleRule {
  selectors: string[];
  declarations: Declaration[];
}

/** Nested conditions of a real sheet are two or three. */
const MAX_DEPTH = 8;
/** A window on a desktop, CSS pixels. */
const SCREEN_WIDTH = 1_024;
const SCREEN_HEIGHT = 768;

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
    rules.push({ selectors: splitAt(prelude, ','), declarations: readDeclarations(block) });
    return;
  }
  const [, name = '', condition = ''] = /^@([\w-]+)(.*)$/s.exec(prelude) ?? [];
  if (depth > 0 && applies(asciiLowerCase(name), normalized(condition))) addRules(block, rules, depth - 1);
}

function applies(name: string, condition: string): boolean {
  if (name === 'media') return appliesOnScreen(condition);
  return name === 'layer' || (name === 'supports' && !/^not\b/.test(condition));
}

/** Whether a list of media queries (Media Queries 4, section 3) matches a window on a desktop. @param list normalized */
export function appliesOnScreen(list: string): boolean {
  return list.trim() === '' || list.split(',').some((query) => matchesQuery(query.trim()));
}

function matchesQuery(query: string): boolean {
  const isNegated = query.startsWith('not ');
  const parts = query.replace(/^(?:not|only) /, '').split(/ and /);
  return parts.every((part) => matchesPart(part.trim())) !== isNegated;
}

function matchesPart(part: string): boolean {
  if (/^(?:all|screen)$/.test(part)) return true;
  const [, feature = '', value = ''] = /^\(([\w-]+) ?:([^)]*)\)$/.exec(part) ?? [];
  const length = pixels(value.trim()) ?? Number.NaN;
  if (/^min-(?:device-)?width$/.test(feature)) return SCREEN_WIDTH >= length;
  if (/^max-(?:device-)?width$/.test(feature)) return SCREEN_WIDTH <= length;
  if (/^min-(?:device-)?height$/.test(feature)) return SCREEN_HEIGHT >= length;
  if (/^max-(?:device-)?height$/.test(feature)) return SCREEN_HEIGHT <= length;
  if (feature === 'orientation') return value.trim() === 'landscape';
  if (feature === 'prefers-color-scheme') return value.trim() === 'light';
  return /^-webkit-(?:min-)?device-pixel-ratio$/.test(feature) && length <= 1;
}
