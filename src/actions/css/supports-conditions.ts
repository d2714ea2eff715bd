import { type Answer, matchesCondition } from './css-conditions.ts';
import { readProperty } from './css-properties.ts';

/** Of programs other than a current browser; senders of mail tell them apart by these. */
const OF_OTHERS = /^-(?:ms|moz|o)-|^-webkit-(?:overflow-scrolling|touch-callout)$/;

/**
 * Whether a program that shows the page applies what an `@supports` holds (CSS Conditional 3, section 6).
 *
 * @param condition normalized
 * @returns undefined for a property of which nothing is known here
 */
export function isSupported(condition: string): Answer {
  return matchesCondition(condition, (declaration) => {
    const [name = '', value = ''] = declaration.split(/ ?: ?/);
    if (OF_OTHERS.test(name)) return false;
    return name.startsWith('--') || readProperty(name, value) !== undefined ? true : undefined;
  });
}
