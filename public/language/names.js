// @ts-check

/** “FOOD_AND_DRINK”, “missing_scopes” → “Food and drink”, “Missing scopes”. @param {unknown} name */
export function plainWords(name) {
  const words = String(name).replaceAll('_', ' ').trim();
  const plain = words === words.toUpperCase() ? words.toLowerCase() : words;
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

/** “Ana Müller” of `Ana Müller <ana@example.org>`; the address where it has no name. @param {string} address */
export function nameOfAddress(address) {
  const name = address.slice(0, Math.max(0, address.indexOf('<'))).trim();
  const bare = name.startsWith('"') && name.endsWith('"') ? name.slice(1, -1).trim() : name;
  return bare === '' ? address : bare;
}
