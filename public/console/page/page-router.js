import { byId, element } from '../kit/dom.js';
import { goTo, readAddress } from './page-address.js';
import { icon } from './page-icons.js';
import { readableText } from './page-text.js';
import { clearDone } from './page-toasts.js';

/** Characters of a thing's name in the title of the window. */
const LONGEST_TITLE = 80;

/**
 * Shows one view at a time, by the address within the console (page-address.js). A view is mounted when it is first shown,
 * and stays with its state until the sign-out.
 *
 * A view is `{name, title, about?, layout?, mount(root, session, page)}`: `name` is the first part of its addresses, `about`
 * a sentence below the title; with `layout: 'full'` it fills the page and its title is read out only. `mount` builds it in
 * `root` and may return `{shown(address)}`, which is called each time that the view is shown or its address has changed.
 * `page.entitle(text)` names what it shows in the title of the window.
 */
export class Router {
  #views;
  #session;
  #home;
  #mounted = new Map();
  #current;
  #movesFocus = false;
  #count = 0;

  constructor(views) {
    this.#views = views;
    byId('nav-list').replaceChildren(...views.map(navItem));
    addEventListener('hashchange', () => this.#show());
  }

  /**
   * Shows the view of the address.
   *
   * @param options.home the name of the view to which an address without one leads
   * @param options.focus whether its title takes the focus, as when a view follows another
   */
  open(session, { home, focus }) {
    this.#session = session;
    this.#home = home;
    this.#movesFocus = focus;
    this.#show();
  }

  close() {
    this.#session = undefined;
    this.#current = undefined;
    this.#mounted.clear();
    this.#count = 0;
    byId('views').replaceChildren();
    for (const link of navLinks()) link.href = `#${link.dataset.view}`;
    document.title = 'Steward';
  }

  /** Puts the number of what waits for the user into the title of the window. */
  count(number) {
    this.#count = number;
    this.#entitle();
  }

  #show() {
    if (this.#session === undefined) return;
    const address = readAddress(location.hash);
    const view = this.#views.find(({ name }) => name === address?.name);
    if (view === undefined) {
      goTo(this.#home, { replace: true });
      return;
    }
    const before = this.#current;
    this.#current = view;
    const { root, shown } = this.#mounted.get(view) ?? this.#mount(view);
    if (before !== view) this.#turnTo(view, root);
    // The navigation leads back to where the view was left.
    for (const link of navLinks()) if (link.dataset.view === view.name) link.href = location.hash;
    this.#entitle();
    shown?.(address);
    const isFirst = before === undefined && !this.#movesFocus;
    this.#movesFocus = true;
    if (isFirst || before === view) return;
    if (before !== undefined) clearDone();
    scrollTo(0, 0);
    root.querySelector('h1').focus();
  }

  #turnTo(view, root) {
    for (const other of byId('views').children) other.hidden = other !== root;
    for (const link of navLinks()) {
      if (link.dataset.view === view.name) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    document.body.dataset.layout = view.layout ?? 'page';
  }

  #entitle() {
    if (this.#current === undefined) return;
    const { thing } = this.#mounted.get(this.#current);
    const waiting = this.#count === 0 ? '' : `(${this.#count}) `;
    document.title = waiting + [thing, this.#current.title, 'Steward'].filter(Boolean).join(' · ');
  }

  #mount(view) {
    const title = element('h1', { id: `view-${view.name}-title`, tabIndex: -1 }, view.title);
    const about = view.about === undefined ? undefined : element('p', { className: 'muted' }, view.about);
    const body = element('div', { className: 'view-body' });
    const root = element(
      'section',
      { id: `view-${view.name}`, className: `console-view ${view.layout ?? ''}`.trim(), 'aria-labelledby': title.id },
      element('header', { className: 'view-head' }, title, about),
      body,
    );
    byId('views').append(root);
    const mounted = { root, thing: '' };
    this.#mounted.set(view, mounted);
    const entitle = (text = '') => {
      mounted.thing = readableText(text).slice(0, LONGEST_TITLE).toWellFormed();
      this.#entitle();
    };
    mounted.shown = view.mount(body, this.#session, { entitle })?.shown;
    return mounted;
  }
}

function navLinks() {
  return byId('nav-list').querySelectorAll('a');
}

function navItem({ name, title }) {
  const badge = element('span', { id: `nav-${name}`, className: 'badge', hidden: true });
  return element('li', {}, element('a', { href: `#${name}`, 'data-view': name }, icon(name), element('span', {}, title), badge));
}
