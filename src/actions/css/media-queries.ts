import { type Answer, matchesCondition } from './css-conditions.ts';
import { splitAt } from './css-scanner.ts';
import { pixels } from './css-values.ts';

/** A window on a desktop, CSS pixels. */
const SIZES: Record<string, number> = { width: 1_024, 'device-width': 1_024, height: 768, 'device-height': 768 };
const RESOLUTIONS = new Set(['resolution', '-webkit-device-pixel-ratio']);
/** What it answers to others. Those that are only named hold unless it is `none` or 0. */
const FEATURES: Record<string, string> = {
  orientation: 'landscape',
  'prefers-color-scheme': 'light',
  'prefers-reduced-motion': 'no-preference',
  'prefers-reduced-transparency': 'no-preference',
  'prefers-contrast': 'no-preference',
  'forced-colors': 'none',
  'inverted-colors': 'none',
  hover: 'hover',
  'any-hover': 'hover',
  pointer: 'fine',
  'any-pointer': 'fine',
  color: '8',
  monochrome: '0',
  grid: '0',
  scripting: 'none',
  update: 'fast',
  scan: 'progressive',
  'display-mode': 'browser',
};
const COMPARISON = /^([^<>=]+)(<=?|>=?|=)([^<>=]+)(?:(<=?|>=?)([^<>=]+))?$/;

/** Whether a list of media queries (Media Queries 4, section 3) matches a window on a desktop. @param list normalized */
export function appliesOnScreen(list: string): boolean {
  return list.trim() === '' || splitAt(list, ',').some((query) => matchesQuery(query.trim()));
}

function matchesQuery(query: string): boolean {
  const [, prefix, type, rest = ''] = /^(?:(not|only) )?([a-z-]+)(?: and (.*))?$/s.exec(query) ?? [];
  if (type === undefined) return matchesCondition(query, matchesInside) === true;
  const isOfType = type === 'all' || type === 'screen';
  const answer = isOfType && rest !== '' ? matchesCondition(rest, matchesInside) : isOfType;
  return answer === (prefix !== 'not');
}

function matchesInside(inside: string): Answer {
  const [name = '', value] = inside.split(':').map((one) => one.trim());
  if (value !== undefined) return matchesFeature(name, value);
  const [, first = '', sign = '', second = '', otherSign, third = ''] = COMPARISON.exec(inside) ?? [];
  if (sign !== '') return compare(first, sign, second) && (otherSign === undefined || compare(second, otherSign, third));
  if (Object.hasOwn(SIZES, name) || RESOLUTIONS.has(name)) return true;
  return Object.hasOwn(FEATURES, name) ? !/^(?:none|no-preference|0)$/.test(FEATURES[name] ?? '') : undefined;
}

function matchesFeature(name: string, value: string): Answer {
  const [, prefix, range] = /^(-webkit-)?(?:min|max)-(.*)$/.exec(name) ?? [];
  const [own, sign] = range === undefined ? [name, '='] : [`${prefix ?? ''}${range}`, name.includes('min-') ? '>=' : '<='];
  if (!Object.hasOwn(FEATURES, own)) return compare(own, sign, value);
  const answer = FEATURES[own] ?? '';
  if (sign === '=') return answer === value;
  return sign === '>=' ? Number(answer) >= Number(value) : Number(answer) <= Number(value);
}

function compare(left: string, sign: string, right: string): Answer {
  const [one, other] = [amount(left.trim()), amount(right.trim())];
  if (one === undefined || other === undefined || Number.isNaN(one + other)) return undefined;
  if (sign === '=') return one === other;
  if (sign.startsWith('<')) return one < other || (sign === '<=' && one === other);
  return one > other || (sign === '>=' && one === other);
}

/** Of a size of the window, or of a length or resolution. */
function amount(value: string): number | undefined {
  if (Object.hasOwn(SIZES, value)) return SIZES[value];
  if (RESOLUTIONS.has(value)) return 1;
  const [, dots, unit] = /^(\d{1,9}(?:\.\d{0,9})?)(dppx|dpi|x)$/.exec(value) ?? [];
  return unit === undefined ? pixels(value) : Number(dots) / (unit === 'dpi' ? 96 : 1);
}
