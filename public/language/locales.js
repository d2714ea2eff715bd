// @ts-check
/** Of a language without a region: the region whose dates its texts are written in. */
const REGIONS = /** @type {Record<string, string>} */ ({ en: 'en-GB' });
const DEFAULT = 'en-GB';
/** Those of everyone whom a person writes to, and of the calls and answers that stand beside: not the tag's, nor the region's. */
const CALENDAR = /** @type {const} */ ({ calendar: 'gregory', numberingSystem: 'latn' });

/** A BCP 47 tag as it is usually written: “EN-us” → “en-US”. @param {string} tag @returns undefined for what is none */
export function properTag(tag) {
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

/**
 * The locale in which dates and numbers are written: of a language that Steward has texts in. Any other one falls back to
 * English, because a date of another language within an English sentence helps nobody.
 *
 * @param {string | null | undefined} language a BCP 47 tag
 */
export function localeOf(language) {
  if (!language) return DEFAULT;
  const known = REGIONS[language.toLowerCase()];
  if (known !== undefined) return known;
  const [primary = ''] = language.toLowerCase().split('-', 1);
  if (!(primary in REGIONS)) return DEFAULT;
  return new Intl.Locale(language, CALENDAR).toString();
}
