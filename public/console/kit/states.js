import { button } from './button.js';
import { element } from './dom.js';
import { run } from './feedback.js';
import { emptyItem, replaceItems } from './list.js';

const SKELETON_ROWS = 2;

/**
 * Keeps a list in the state of what it shows: not known yet, not loaded, empty, or filled.
 *
 * @param list `ul` or `ol`
 * @param heading to which the focus returns when its item is gone
 * @param store see page-store.js
 * @param options.items the value → elements
 * @param options.empty the sentence for a list without items
 */
export function showList(list, heading, store, { items, empty }) {
  store.state(({ value, failed }) => {
    list.setAttribute('aria-busy', String(value === undefined && !failed));
    if (value !== undefined) {
      const shown = items(value);
      replaceItems(list, heading, shown.length > 0 ? shown : [emptyItem(empty)]);
    } else list.replaceChildren(...(failed ? [element('li', {}, notLoaded(store))] : skeleton('li')));
  });
}

/**
 * The same for a region of another form.
 *
 * @param content the value → elements
 */
export function showRegion(region, store, content) {
  store.state(({ value, failed }) => {
    region.setAttribute('aria-busy', String(value === undefined && !failed));
    if (value !== undefined) region.replaceChildren(...content(value));
    else region.replaceChildren(...(failed ? [notLoaded(store)] : skeleton('div')));
  });
}

/** What stands where something is not known yet: grey bars, which are said as one word. @param tag of each bar */
export function skeleton(tag = 'div') {
  return Array.from({ length: SKELETON_ROWS }, (_, index) =>
    element(tag, { className: 'skeleton' }, index === 0 ? element('span', { className: 'unseen' }, 'Loading …') : undefined),
  );
}

/** What stands where something could not be loaded, with a button that tries again. */
export function notLoaded(store) {
  const again = button('Try again', { className: 'small' });
  again.addEventListener('click', () =>
    run(
      again,
      () => {},
      () => store.refresh(),
    ),
  );
  return element('p', { className: 'empty' }, 'This could not be loaded. ', again);
}
