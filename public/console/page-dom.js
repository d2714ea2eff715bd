import { Failure } from './page-request.js';

/** Returns the element with this id, which must exist in the page. */
export function byId(id) {
  return document.getElementById(id);
}

/**
 * Builds an element. Properties are set by name, `aria-…` as attributes; children are
 * nodes or text, never markup: what comes from the server can't become an element.
 */
export function element(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith('aria-')) node.setAttribute(name, value);
    else node[name] = value;
  }
  node.append(...children.filter((child) => child !== undefined));
  return node;
}

/** A label beside a name. @param kind 'good', 'attention' or '' */
export function tag(kind, text) {
  return element('span', { className: `tag ${kind}`.trim() }, text);
}

/** A button that copies a text. @param what names it for assistive technology */
export function copyButton(text, what) {
  const button = element('button', { type: 'button', className: 'button', 'aria-label': `Copy: ${what}` }, 'Copy');
  button.addEventListener('click', async () => {
    // Browsers have no clipboard for pages over http, except on this machine.
    const copied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    button.textContent = copied ? 'Copied' : 'Not copied: select it';
  });
  return button;
}

/** Puts a message into a live region; `kind` is 'done', 'warning' or 'error'. */
export function show(region, kind, text, ...details) {
  region.replaceChildren(element('p', { className: kind }, text, ...details));
}

/** Shows the error message and the request id, which is in the server’s log. */
export function showError(region, error) {
  if (!(error instanceof Failure)) throw error;
  if (error.superseded) return;
  const id = error.requestId === undefined ? undefined : element('small', {}, 'Request ', element('code', {}, error.requestId));
  show(region, 'error', error.message, id);
}

/**
 * Runs an action behind a button: the button is disabled while it runs, and an error is shown in the region.
 *
 * @returns whether the action succeeded
 */
export async function run(button, region, action) {
  const heading = button.closest('section')?.querySelector('h2[tabindex]');
  button.disabled = true;
  button.setAttribute('aria-busy', 'true');
  region.replaceChildren();
  try {
    await action();
    return true;
  } catch (error) {
    showError(region, error);
    return false;
  } finally {
    button.disabled = false;
    button.removeAttribute('aria-busy');
    // A disabled button loses the focus, and with it a keyboard user's place.
    if (document.activeElement === document.body) (button.isConnected ? button : heading)?.focus();
  }
}

/** Runs an action when the form is submitted, with its fields by name; the form is reset on success. */
export function onSubmit(form, region, action) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const fields = Object.fromEntries(new FormData(form));
    const succeeded = await run(form.querySelector('[type="submit"]'), region, () => action(fields));
    if (succeeded) form.reset();
  });
}

/**
 * Asks for confirmation in a modal dialog.
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
  list.replaceChildren(...items);
  if (held === undefined) return;
  if (held.isConnected) held.focus();
  else heading.focus();
}
