/** Returns the element with this id, which must exist in the page. */
export function byId(id) {
  return document.getElementById(id);
}

/**
 * Builds an element. Properties are set by name, `aria-…` and `data-…` as attributes; children are
 * nodes or text, never markup: what comes from the server can't become an element.
 */
export function element(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (/^(?:aria|data)-/.test(name)) node.setAttribute(name, value);
    else node[name] = value;
  }
  node.append(...children.filter((child) => child !== undefined));
  return node;
}

/** The heading to which the focus goes when what had it is gone: of the section, or of the shown view. */
export function headingOf(node) {
  return node.closest('section')?.querySelector('h2[tabindex], h1[tabindex]') ?? shownTitle();
}

/** The title of the view that is shown. */
export function shownTitle() {
  return document.querySelector('.console-view:not([hidden]) h1');
}
