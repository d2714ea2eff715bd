// @ts-check

/** What an account can't be used for while a permission is missing, as verb and object. @type {Record<string, [verb: string, object: string]>} */
const USES = {
  'mail.send': ['send', 'mail'],
  'mail.modify': ['read or label', 'mail'],
  'calendar.events.owned': ['use', 'your calendar'],
  documents: ['read or change', 'documents'],
  docs: ['read or change', 'documents'],
  drive: ['use', 'your files'],
  'spreadsheets.readonly': ['read', 'spreadsheets'],
  'presentations.readonly': ['read', 'presentations'],
  'userinfo.email': ['see', 'your address'],
  'userinfo.profile': ['see', 'your name'],
};

/**
 * What is impossible without these permissions: “Can’t send, read or label mail. Can’t read spreadsheets.”
 *
 * @param {readonly string[]} missing names of scopes; not empty
 */
export function missingPermissions(missing) {
  const uses = missing.map((name) => USES[name] ?? ['use', name]);
  const byObject = Map.groupBy(uses, ([, object]) => object);
  const phrases = [...byObject].map(([object, verbs]) => {
    const words = [...new Set(verbs.flatMap(([verb = '']) => verb.split(' or ')))];
    return `${either(words)} ${object}`;
  });
  return phrases.map((phrase) => `Can’t ${phrase}.`).join(' ');
}

/** @param {readonly string[]} words */
function either(words) {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
