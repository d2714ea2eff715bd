import { element } from './dom.js';

/** Replaces a list's items; the focus stays where it was, or moves to the heading if its item is gone. */
export function replaceItems(list, heading, items) {
  const held = list.contains(document.activeElement) ? document.activeElement : undefined;
  const name = held?.getAttribute('aria-label');
  list.replaceChildren(...items);
  if (held === undefined) return;
  // A list that is drawn again has the same buttons under the same names.
  const again = held.isConnected ? held : [...list.querySelectorAll('[aria-label]')].find((one) => one.getAttribute('aria-label') === name);
  (again ?? heading).focus();
}

/** An entry of a list that has none. */
export function emptyItem(text) {
  return element('li', { className: 'empty' }, text);
}
