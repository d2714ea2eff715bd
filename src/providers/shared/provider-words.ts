import { cutText } from '../../validation/cut-text.ts';

/** Why a provider rejected a request, in its own words. */
export interface ProviderWords {
  /** Its reason code; '': none. */
  reason: string;
  /** Its message without possible secrets; '': none. */
  message: string;
}

/** How much of a message is examined, and how much is shown. */
const MOST_READ = 2_000;
const MOST_SHOWN = 300;
const REDACTED = '[redacted]';

/** Invisible characters and those that change the direction of text. Text around them reads as one word. */
const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
const BLANKS = /[\s\p{Cc}\p{Z}\u2800]+/gu;
/** An at sign as encoded in URLs, HTML or JSON. */
const ENCODED_AT = /%(?:25){0,3}40|&#(?:64|x40);|\\u0040/gi;
/** Linear in any text: each repetition is bounded, or begins where its first character class cannot match before. */
const SECRETS: readonly [RegExp, string][] = [
  [/:\/\/[^\s/@]{1,200}@/g, `://${REDACTED}@`],
  [/"[^"]{1,100}"@[[\p{L}\p{M}\p{N}_.:-]+/gu, REDACTED],
  [/(?<![\p{L}\p{M}\p{N}_.+%'!#$*^`{|}~-])[\p{L}\p{M}\p{N}_.+%'!#$*^`{|}~-]+@[[\p{L}\p{M}\p{N}_.:-]*[\p{L}\p{M}\p{N}_]/gu, REDACTED],
  // Query and fragment of an address.
  [/[?#][\w%.~-]{1,100}=[^\s"'<>)]{1,2000}/g, `?${REDACTED}`],
  [/\b(cookie)[\\"']{0,4} ?[:=] ?[\\"']{0,4}[^\s"';,]{1,2000}(?:; ?[^\s"';,]{1,2000}){0,50}/gi, `$1: ${REDACTED}`],
  [
    /\b(bearer|basic)[ :=]{1,3}(?!(?:tokens?|auth|authentication|authorization|credentials?|scheme|access|realm)(?![\w~+/=-]))[\\"'<]{0,4}[\w.~+/=-]{4,2000}/gi,
    `$1 ${REDACTED}`,
  ],
  // A name and its value, to the end of the quotation or of the word.
  [
    /\b(\w{0,40}(?:token|secret|password|passwd|passphrase|signature|assertion|api[ _-]?key|private[ _-]?key|authorization))[\\"']{0,4} ?[:=]>? ?(?:\\{1,3}"[^"]{1,2000}|"(?:[^"\\]|\\.){1,2000}|\\{0,3}'(?:[^'\\]|\\.){1,2000}|[^\s"',;&]{1,2000})/gi,
    `$1=${REDACTED}`,
  ],
  [
    /\b(\w{0,40}(?:token|secret|password|passwd|passphrase|api[ _-]?key)) (?:is|was) (?!(?:an?|the|not|no|too|in|on|of|for|only|already|being|now|also|incorrect|invalid|wrong|required|expired|revoked|missing|weak|needed|empty|disabled|malformed|valid|unknown|blocked|restricted|set|sent|used|unset)(?![^\s.,;:]))[^\s,;&]{1,2000}/gi,
    `$1 is ${REDACTED}`,
  ],
  [/(token|secret|password|passwd|passphrase|api[ _-]?key) (?=[^\s\d]{0,40}\d)[^\s"',;&]{6,2000}/gi, `$1 ${REDACTED}`],
  [/\b(keys?|tokens?|secrets?)\/[^\s/"'<>?#]{1,2000}/gi, `$1/${REDACTED}`],
  [/\b(key|code|sig|\w{0,12}sid)=[^\s"',;&]{1,2000}/gi, `$1=${REDACTED}`],
  [/\bGOCSPX-[\w-]{1,2000}/g, REDACTED],
  [/\beyJ[\w-]{4,2000}(?:\.[\w-]{0,2000}){0,4}/g, REDACTED],
  [/\bya29\.[\w.-]{1,2000}/g, REDACTED],
  [/\b(?:access|public|link|processor|user)-[a-z]{2,20}-[\w-]{1,200}/g, REDACTED],
  [/\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/g, REDACTED],
  // Long hexadecimal and base64 strings and account numbers; a word without a digit is a name.
  [/[A-Za-z0-9+/]{40,2000}={0,2}/g, REDACTED],
  [/[\w+=-]{20,2000}/g, REDACTED],
  // Card and account numbers in groups, but not a date and time.
  [/(?<!\p{Nd})(?!\d{4}-\d\d-\d\d \d\d:)\p{Nd}(?:[ \p{Pd}]{0,3}\p{Nd}){8,2000}/gu, REDACTED],
];

/**
 * A provider's message as it may be shown and logged: one line of at most 300 characters, without anything that looks
 * like a secret or a mail address.
 *
 * @param sent secrets of the request, which an error may repeat
 */
export function providerMessage(text: unknown, sent: readonly string[] = []): string {
  if (typeof text !== 'string') return '';
  let shown = plain(cutText(text, MOST_READ));
  for (const secret of sent) if (secret.length >= 4) shown = shown.replaceAll(secret, REDACTED);
  for (const [pattern, instead] of SECRETS) {
    shown = shown.replace(pattern, (found, ...groups) => (isName(found) ? found : instead.replace('$1', String(groups[0]))));
  }
  shown = shown.trim();
  return shown.length > MOST_SHOWN ? `${cutText(shown, MOST_SHOWN)}…` : shown;
}

/** In one line and in one form of each character, so that a secret is found however it is written. */
function plain(text: string): string {
  const seen = cutText(text.replace(UNSEEN, '').normalize('NFKC'), MOST_READ).toWellFormed();
  return seen.replace(UNSEEN, '').replace(BLANKS, ' ').replace(ENCODED_AT, '@');
}

/** `ACCESS_TOKEN_SCOPE_INSUFFICIENT` is long and no secret. Names of this length contain underscores. */
function isName(word: string): boolean {
  return /^[A-Za-z_]{1,60}$/.test(word) && (word.length < 40 || word.includes('_'));
}

/** Error details for programs, marked as the provider's. undefined: there are none. */
export function wordsAsDetails({ reason, message }: ProviderWords): { provider: Partial<ProviderWords> } | undefined {
  if (reason === '' && message === '') return undefined;
  return { provider: { ...(reason !== '' && { reason }), ...(message !== '' && { message }) } };
}
