/** RFC 6749, 3.3. */
const SCOPE_NAME = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;

/** The scopes in a server's text, which are separated by spaces. What can't be the name of one, or be stored, is left out. */
export function scopeNames(text = ''): string[] {
  return text.split(' ').filter((name) => SCOPE_NAME.test(name));
}
