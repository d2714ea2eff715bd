/** Longer ones are nobody's: they lead home. */
const LONGEST = 2_000;

/**
 * Reads an address within the console, the hash of the page's own: `#name/part…?key=value`.
 *
 * @returns `{name, parts, query}`, or undefined for what is not one
 */
export function readAddress(hash) {
  if (hash.length > LONGEST) return undefined;
  const [, path, query = ''] = /^#?([^?]*)(?:\?(.*))?$/s.exec(hash) ?? [];
  try {
    const [name, ...parts] = path.split('/').map(decodeURIComponent);
    return { name, parts: parts.filter((part) => part !== ''), query: new URLSearchParams(query) };
  } catch {
    // Not percent-encoded text.
    return undefined;
  }
}

/** The address of a thing, for {@link goTo}. @param parts ids, each encoded */
export function addressTo(name, ...parts) {
  return [name, ...parts.map(encodeURIComponent)].join('/');
}

/** The same for a link. */
export function linkTo(name, ...parts) {
  return `#${addressTo(name, ...parts)}`;
}

/** Shows an address; also again, if it is shown already. @param replace Back does not lead to the one before it */
export function goTo(address, { replace = false } = {}) {
  const hash = `#${address}`;
  if (hash === location.hash) dispatchEvent(new HashChangeEvent('hashchange'));
  else if (replace) location.replace(hash);
  else location.hash = hash;
}
