import { kit as texts } from '../../language/en/frame.js';
import { button } from './button.js';
import { element, headingOf } from './dom.js';
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
  store.state((state) => listState(list, heading, store, state, { items, empty }));
}

/** The same, once: for what is also drawn again for other reasons. @param state of the store */
export function listState(list, heading, store, state, { items, empty }) {
  const { value } = state;
  list.setAttribute('aria-busy', String(isUnknown(state)));
  if (value === undefined) {
    list.replaceChildren(...(state.failed ? [element('li', {}, notLoaded(store))] : skeleton('li')));
    return;
  }
  const shown = items(value);
  replaceItems(list, heading, shown.length > 0 ? shown : [emptyItem(empty)]);
}

/**
 * The same for a region of another form.
 *
 * @param content the value → elements
 */
export function showRegion(region, store, content) {
  store.state((state) => regionState(region, store, state, content));
}

/** The same, once. @param state of the store */
export function regionState(region, store, state, content) {
  region.setAttribute('aria-busy', String(isUnknown(state)));
  if (state.value === undefined) region.replaceChildren(...(state.failed ? [notLoaded(store)] : skeleton()));
  else place(region, content(state.value));
}

/** Not known yet, and not because it could not be loaded. */
function isUnknown({ value, failed }) {
  return value === undefined && !failed;
}

/** What is there already stays as it is, with the focus in it. */
function place(region, nodes) {
  const { children } = region;
  if (children.length === nodes.length && nodes.every((node, index) => children[index] === node)) return;
  const held = region.contains(document.activeElement);
  region.replaceChildren(...nodes);
  if (held && !region.contains(document.activeElement)) headingOf(region)?.focus();
}

/** What stands where something is not known yet: grey bars, which are said as one word. @param tag of each bar */
export function skeleton(tag = 'div') {
  return Array.from({ length: SKELETON_ROWS }, (_, index) =>
    element(tag, { className: 'skeleton' }, index === 0 ? element('span', { className: 'unseen' }, texts.loading) : undefined),
  );
}

/** Says to those who don't see the grey bars that something is loading: once, however many there are. @param status a live region */
export function sayLoading(views, status) {
  const bars = views.getElementsByClassName('skeleton');
  const say = () => {
    const text = bars.length > 0 ? texts.loading : '';
    if (status.textContent !== text) status.textContent = text;
  };
  new MutationObserver(say).observe(views, { childList: true, subtree: true });
}

/** What stands where something could not be loaded, with a button that tries again. */
export function notLoaded(store) {
  const again = button(texts.tryAgain, { className: 'small' });
  again.addEventListener('click', () =>
    run(
      again,
      () => {},
      () => store.refresh(),
    ),
  );
  return element('p', { className: 'empty' }, texts.notLoaded, again);
}
