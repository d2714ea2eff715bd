import { domainToASCII, domainToUnicode } from 'node:url';
import { asciiLowerCase } from './lower-case.ts';

/** RFC 5321, 4.5.3.1.3: octets, which in UTF-8 a letter may have several of. */
export const MAX_OCTETS = 254;
/**
 * Letters and digits of any script (RFC 6531, 3.3), and the marks of an atom (RFC 5322, 3.2.3) but `*`, which patterns have;
 * no encoded word, which other programs may read as another address.
 */
const LOCAL =
  /^(?!.*=\?)[\p{L}\p{N}!#$%&'+/=?^_`{|}~-][\p{L}\p{M}\p{N}!#$%&'+/=?^_`{|}~-]*(?:\.[\p{L}\p{N}!#$%&'+/=?^_`{|}~-][\p{L}\p{M}\p{N}!#$%&'+/=?^_`{|}~-]*)*(?<!')$/u;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Hyphens are between other characters, and nowhere in the third and fourth place (RFC 5891, 4.2.3.1). */
const U_LABEL = /^(?!.{2}--)[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}·-]*[\p{L}\p{M}\p{N}])?$/u;
const TOP_LABEL = /^(?:[a-z]{2,63}|xn--.*)$/;

/** The address with its domain as mail servers know it (RFC 5890): `user@müller.example` as `user@xn--mller-kva.example`. */
export function asciiDomainAddress(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  const domain = address.slice(at);
  return isPlain(domain) ? address : `${address.slice(0, at)}${domainKey(domain)}`;
}

/** Whether it is a mail address whose domain is in ASCII; before the `@`, it may have letters of any script (RFC 6531). */
export function isEmailAddress(address: string): boolean {
  const at = address.lastIndexOf('@');
  const labels = asciiLowerCase(address.slice(at + 1)).split('.');
  const isDomain = labels.length > 1 && labels.every((label) => LABEL.test(label) && asciiLabel(label) !== undefined);
  const local = address.slice(0, Math.max(0, at));
  return (
    isDomain && TOP_LABEL.test(labels.at(-1) ?? '') && LOCAL.test(local) && isStable(local) && Buffer.byteLength(address) <= MAX_OCTETS
  );
}

/**
 * What tells whether two addresses are the same: the domain in ASCII, letters of ASCII in lower case, other letters composed
 * (RFC 6532, 3.1). Letters that only look alike stay different. For allow-lists also patterns with `*`.
 */
export function addressKey(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  if (isPlain(address) || at === 0) return asciiLowerCase(address);
  const local = address.slice(0, at);
  return `${asciiLowerCase(isStable(local) ? local.normalize('NFC') : local)}${domainKey(address.slice(at))}`;
}

/** The same of a domain. */
export function domainKey(domain: string): string {
  return domain
    .split('.')
    .map((label) => asciiLabel(label) ?? asciiLowerCase(label))
    .join('.');
}

/** A label of a domain in ASCII and lower case (RFC 5890, 2.3.2.1). @returns undefined if it is in neither form */
function asciiLabel(label: string): string | undefined {
  if (isPlain(label)) return asciiLowerCase(label);
  // Characters of other kinds or forms would be mapped, or left out, or separate labels (UTS 46).
  if (!isStable(label) || /[^\p{L}\p{M}\p{N}·-]/u.test(label)) return undefined;
  const ascii = domainToASCII(label);
  // Of an invalid one, the conversion fails or does nothing.
  return ascii.startsWith('xn--') && U_LABEL.test(domainToUnicode(ascii)) ? ascii : undefined;
}

/** Whether it is ASCII that stands for itself. */
function isPlain(text: string): boolean {
  return /^\p{ASCII}*$/u.test(text) && !/xn--/i.test(text);
}

/** Whether none of its characters is another form of one: of a Kelvin sign, the other form is a K. */
function isStable(text: string): boolean {
  return [...text].every((character) => character.normalize('NFKC') === character);
}
