const WORDS = { 'the user’s': 'your', 'the user has': 'you have', 'the user is': 'you are', 'the user': 'you' };
/** Of two that begin alike, the longer first. */
const USER = /\b(?:the user’s|the user has|the user is|the user)(?![\w’])/gi;

/** A sentence of Steward's that is for models and apps, too, and speaks of the user: the same, said to the user. */
export function saidToYou(sentence) {
  return sentence.replace(USER, (found) => {
    const words = WORDS[found.toLowerCase()];
    return found.startsWith('T') ? words.charAt(0).toUpperCase() + words.slice(1) : words;
  });
}
