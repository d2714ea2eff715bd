import { readableText } from '../page/page-text.js';
import { element } from './dom.js';

const PROTOCOLS = new Set(['https:', 'http:', 'mailto:']);
const LONGEST = 2_000;

/**
 * A link that says where it leads: the text is somebody else's, the host is the browser's reading of the address.
 * Nothing is loaded before it is followed. An address of another kind is shown as text.
 *
 * @param text default: the address
 */
export function safeLink(address, text = address) {
  const url = typeof address === 'string' && address.length <= LONGEST ? URL.parse(address) : null;
  const label = readableText(String(text));
  if (url === null || !PROTOCOLS.has(url.protocol)) return element('span', {}, label);
  const where = url.protocol === 'mailto:' ? readableText(decodeURI(url.pathname)) : url.host;
  const shown = label.toLowerCase().includes(where.toLowerCase()) && URL.parse(label)?.host === url.host ? [] : [where];
  return element(
    'span',
    { className: 'link' },
    element('a', { href: url.href, target: '_blank', rel: 'noopener noreferrer', referrerPolicy: 'no-referrer' }, label),
    ...shown.map((host) => element('span', { className: 'host' }, ` (${host})`)),
  );
}
