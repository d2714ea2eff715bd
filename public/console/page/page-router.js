import { byId, element } from '../kit/dom.js';
import { icon } from './page-icons.js';
import { clearDone } from './page-toasts.js';

/**
 * Shows one view at a time, by the hash of the address. A view is mounted when it is first shown, and stays with its
 * state until the sign-out.
 *
 * A view is `{name, title, about?, layout?, mount(root, session)}`: `name` is its hash, `about` a sentence below the
 * title; with `layout: 'full'` it fills the page and its title is read out only. `mount` builds it in `root` and may return
 * `{shown()}`, which is called each time the view is shown again.
 */
export class Router {
  #views;
  #session;
  #mounted = new Map();
  #current;

  constructor(views) {
    this.#views = views;
    byId('nav-list').replaceChildren(...views.map(navItem));
    addEventListener('hashchange', () => this.#show({ focus: true }));
  }

  /** Shows the view of the address. @param fallback for an address without one */
  open(session, fallback) {
    this.#session = session;
    if (this.#named() === undefined) history.replaceState(null, '', `#${fallback}`);
    this.#show({ focus: false });
  }

  close() {
    this.#session = undefined;
    this.#current = undefined;
    this.#mounted.clear();
    byId('views').replaceChildren();
    document.title = 'Steward';
  }

  #named() {
    const name = location.hash.slice(1);
    return this.#views.find((view) => view.name === name);
  }

  #show({ focus }) {
    const view = this.#named();
    if (this.#session === undefined || view === undefined || view === this.#current) return;
    this.#current = view;
    const before = this.#mounted.get(view);
    const { root, shown } = before ?? this.#mount(view);
    for (const other of byId('views').children) other.hidden = other !== root;
    for (const link of byId('nav-list').querySelectorAll('a')) {
      if (link.hash === `#${view.name}`) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    document.title = `${view.title} · Steward`;
    document.body.dataset.layout = view.layout ?? 'page';
    if (before !== undefined) shown?.();
    if (!focus) return;
    clearDone();
    scrollTo(0, 0);
    root.querySelector('h1').focus();
  }

  #mount(view) {
    const title = element('h1', { id: `view-${view.name}-title`, tabIndex: -1 }, view.title);
    const about = view.about === undefined ? undefined : element('p', { className: 'muted' }, view.about);
    const root = element('div', { className: 'view-body' });
    const section = element(
      'section',
      { id: `view-${view.name}`, className: `console-view ${view.layout ?? ''}`.trim(), 'aria-labelledby': title.id },
      element('header', { className: 'view-head' }, title, about),
      root,
    );
    byId('views').append(section);
    const mounted = { root: section, shown: view.mount(root, this.#session)?.shown };
    this.#mounted.set(view, mounted);
    return mounted;
  }
}

/** Shows a number beside a view's link. @param what e.g. 'pending' */
export function showBadge(name, number, what) {
  const badge = byId(`nav-${name}`);
  badge.hidden = number === 0;
  badge.replaceChildren(String(number), element('span', { className: 'unseen' }, ` ${what}`));
}

function navItem({ name, title }) {
  const badge = element('span', { id: `nav-${name}`, className: 'badge', hidden: true });
  return element('li', {}, element('a', { href: `#${name}` }, icon(name), element('span', {}, title), badge));
}
