/** What a mailbox's name may hold without quotation marks. */
const PLAIN_NAME = /^[\p{L}\p{N} .'-]*$/u;

/**
 * The entries of a list as lines: texts, and mailboxes as `Ana <ana@example.org>`.
 *
 * @returns line → entry; undefined: an entry can't be shown in a line
 */
export function shownEntries(entries) {
  const lines = new Map();
  for (const entry of entries) {
    const line = lineOf(entry);
    if (line === undefined || line !== line.trim() || line === '' || line.includes('\n')) return undefined;
    lines.set(line, entry);
  }
  return lines;
}

function lineOf(entry) {
  if (typeof entry === 'string') return entry;
  if (typeof entry?.address !== 'string') return undefined;
  const { name = '', address } = entry;
  if (name === '') return address;
  return `${PLAIN_NAME.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`} <${address}>`;
}
