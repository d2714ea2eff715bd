/**
 * In lower case as far as its letters are ASCII. Other letters stay, since some become a letter of another address: the
 * Kelvin sign a `k`.
 */
export function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** What tells whether two names are the same, whatever their case and the form of their accents (UAX 15). Not for addresses. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
