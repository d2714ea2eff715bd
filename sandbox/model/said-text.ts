const POLITE =
  /^(?:(?:hi|hello|hey|please|now|then|also|so|ok(?:ay)?|(?:can|could|would|will) you(?: please)?|i(?: woul|')d like you to|i want you to|let us|let's)\b[\s,!]*)+/i;
const END = /(?:[\s,]*\b(?:please|for me|thanks|thank you)\b)?[\s.!?]*$/i;
/** Where a request may consist of two: not within quotes, and not within the text of a mail. */
const SEAM = /\s*(?:;|[.?!](?=\s)|,?\s+and then\s|,?\s+then\s|,?\s+and(?: also)?\s|,\s(?=(?:then|read|show|list|find)\b))\s*/i;
const COLON = /:\s/;
const QUOTED = /["“”][^"“”]*["“”]/g;

/** A request without what is only polite. */
export function plain(said: string): string {
  const request = said.trim().replace(POLITE, '');
  // The text of a mail keeps its full stop.
  return COLON.test(request) ? request : request.replace(END, '').trim();
}

/** Without the quotes around it. */
export function unquoted(text: string): string {
  return text
    .trim()
    .replace(/^["“”'‘](.*)["“”'’]$/, '$1')
    .trim();
}

/** The parts of a request with several, such as "read my mails and list my files"; its text after a colon stays whole. */
export function partsOf(said: string): string[] {
  const colon = COLON.exec(said)?.index ?? said.length;
  const quotes: string[] = [];
  const head = said.slice(0, colon).replace(QUOTED, (quote) => `\uE000${quotes.push(quote) - 1}\uE000`);
  const whole = (text: string) => text.replace(/\uE000(\d+)\uE000/g, (_all, index: string) => quotes[Number(index)] ?? '');
  const parts = head.split(SEAM).map(whole);
  parts.push(`${parts.pop() ?? ''}${said.slice(colon)}`);
  return parts.map(plain).filter((one) => one !== '');
}

/** The addresses of a text. */
export function addressesIn(text: string): string[] {
  return text.match(/[^\s<>()[\]"“”'‘’,;:]+@[^\s<>()[\]"“”'‘’,;:]+\.[a-z]{2,}/gi) ?? [];
}

/** The beginning of a text on one line. */
export function shortened(text: string, length = 160): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= length ? line : `${line.slice(0, length).trimEnd()}…`;
}
