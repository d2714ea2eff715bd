import { failureOf } from './page-request.js';

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

/** A label beside a name. @param kind 'good', 'attention', 'bad' or '' */
export function tag(kind, text) {
  return element('span', { className: `tag ${kind}`.trim() }, text);
}

/** A section with a heading, to which the focus returns when what had it is gone. */
export function card({ id, title, about, className = '' }, ...children) {
  return element(
    'section',
    { id, className: `card ${className}`.trim(), 'aria-labelledby': `${id}-title` },
    element('h2', { id: `${id}-title`, tabIndex: -1 }, title),
    about === undefined ? undefined : element('p', { className: 'muted about' }, about),
    ...children,
  );
}

/** A labelled control. @param hint text below it */
export function field(label, control, hint) {
  const about = hint === undefined ? undefined : element('p', { className: 'muted hint', id: `${control.id}-hint` }, hint);
  if (about !== undefined) control.setAttribute('aria-describedby', about.id);
  return element('div', { className: 'field' }, element('label', { htmlFor: control.id }, label), control, about);
}

/** @param name of what the button is about, for assistive technology */
export function button(text, { name, className = '', ...properties } = {}) {
  const label = name === undefined ? {} : { 'aria-label': `${text}: ${name}` };
  return element('button', { type: 'button', className: `button ${className}`.trim(), ...label, ...properties }, text);
}

/** A button that copies a text. @param what names it for assistive technology */
export function copyButton(text, what) {
  const copy = button('Copy', { name: what, className: 'small' });
  copy.addEventListener('click', async () => {
    // Browsers have no clipboard for pages over http, except on this machine.
    const copied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    copy.textContent = copied ? 'Copied' : 'Not copied: select it';
  });
  return copy;
}

/** Puts a message into a live region; `kind` is 'done', 'warning' or 'error'. */
export function show(region, kind, text, ...details) {
  region.replaceChildren(element('p', { className: kind }, text, ...details));
}

/** Shows the error message and the request id, which is in the server’s log. */
export function showError(region, error) {
  const failure = failureOf(error);
  if (failure.superseded) return;
  show(region, 'error', failure.message, requestIdOf(failure));
}

/** The id under which the server's log has the failed request, if it is known. */
export function requestIdOf({ requestId }) {
  return requestId === undefined ? undefined : element('small', {}, 'Request ', element('code', {}, requestId));
}

/**
 * Runs an action behind a button, which is busy meanwhile. The focus stays, or moves to the section's heading if the
 * button is gone afterwards.
 *
 * @param failed receives the error
 * @returns whether the action succeeded
 */
export async function run(trigger, failed, action) {
  if (trigger.getAttribute('aria-busy') === 'true') return false;
  const heading = trigger.closest('section')?.querySelector('h2[tabindex], h1[tabindex]');
  trigger.setAttribute('aria-busy', 'true');
  try {
    await action();
    return true;
  } catch (error) {
    failed(error);
    return false;
  } finally {
    trigger.removeAttribute('aria-busy');
    if (document.activeElement === document.body) (trigger.isConnected ? trigger : heading)?.focus();
  }
}

/** Runs an action when the form is submitted, with its fields by name; the form is reset on success. */
export function onSubmit(form, failed, action) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const fields = Object.fromEntries(new FormData(form));
    const succeeded = await run(form.querySelector('[type="submit"]'), failed, () => action(fields));
    if (succeeded) form.reset();
  });
}

/**
 * Asks for confirmation in a modal dialog, which gives the focus back when it closes.
 *
 * @returns whether the user confirmed; Escape cancels
 */
export function confirmed({ title, text, yes }) {
  const dialog = byId('confirm');
  byId('confirm-title').textContent = title;
  byId('confirm-text').textContent = text;
  byId('confirm-yes').textContent = yes;
  dialog.returnValue = 'cancel';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'confirm'), { once: true });
  });
}

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
