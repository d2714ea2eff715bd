/**
 * In lower case as far as its letters are ASCII. Other letters stay, since some become a letter of another address: the
 * Kelvin sign a `k`.
 */
export function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
