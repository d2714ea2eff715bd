import { element, shownTitle } from '../kit/dom.js';

/**
 * Lets the address name one entry of a view's lists, `#name/<id>`: it is marked, brought into view and in the title of the
 * window; where there is none any more, a sentence says so. An entry has its id as `data-entry`, and a link to itself.
 *
 * @param options.store known when the lists are; watched after them, because they are drawn again
 * @param options.gone `{text, way}` of the sentence and the link to the whole view
 * @returns `{node, shown(address)}`: the sentence's place, and what the router calls
 */
export function namedEntry(root, page, { store, gone, home }) {
  const node = element('p', { role: 'status', className: 'warning', hidden: true });
  let id;
  let isKnown = false;
  const mark = () => {
    let found;
    for (const entry of root.querySelectorAll('[data-entry]')) {
      if (entry.dataset.entry === id) found = entry;
      else entry.removeAttribute('aria-current');
    }
    found?.setAttribute('aria-current', 'true');
    const isGone = id !== undefined && found === undefined && isKnown;
    node.hidden = !isGone;
    node.replaceChildren(...(isGone ? [gone.text, ' ', element('a', { href: `#${home}` }, gone.way)] : []));
    page.entitle(found?.querySelector('a').textContent);
    return found;
  };
  store.state(({ value }) => {
    isKnown = value !== undefined;
    mark();
  });
  const shown = ({ parts }) => {
    [id] = parts;
    mark()?.scrollIntoView({ block: 'nearest' });
  };
  return { node, shown };
}

/** Lets an entry take the focus from the view's title, once it is listed there. @param session whose accounts are listed */
export async function focusAccount({ accounts, signal }, id) {
  await accounts.known(signal);
  const link = document.querySelector(`.console-view:not([hidden]) [data-entry="${CSS.escape(id)}"] a`);
  if (document.activeElement === shownTitle()) link?.focus();
}
