// @ts-check

/** The card of the user's preferences. */
export const preferences = {
  title: 'You',
  about: 'How your assistant calls you, and where your days begin. It is told both.',
  name: 'Name',
  zone: 'Time zone',
  /** @param {string} zone */
  zoneHint: (zone) => `This browser is in ${zone}.`,
  language: 'Language',
  save: 'Save',
  saved: 'Your preferences are saved.',
};

/** Languages that Steward has texts in, by their tags. @type {Record<string, string>} */
export const LANGUAGES = { en: 'English', 'en-US': 'English (United States)' };
