import { kit } from '../../language/en/frame.js';
import { byId, element } from '../kit/dom.js';
import { requestIdOf } from '../kit/feedback.js';
import { failureOf } from './page-request.js';

/** Of what is done, which the view shows, too. */
const SHOWN_MS = 6_000;
const MOST = 4;
/** Below the last message. */
const BELOW_PX = 16;

/**
 * Shows a message in a corner of the page, in place of the same one, if that is shown. What is done goes away after a while,
 * unless the pointer or the focus is on it; a warning by its button or with the view, an error by its button only.
 * Assistive technology reads an error at once.
 *
 * @param kind 'done', 'warning' or 'error'
 * @returns removes it
 */
export function notify(kind, text, ...details) {
  const region = byId(kind === 'error' ? 'toasts-alert' : 'toasts-status');
  const dismiss = element('button', { type: 'button', className: 'dismiss', 'aria-label': kit.dismiss }, '×');
  const toast = element('div', { className: `toast ${kind}` }, element('p', {}, text, ...details), dismiss);
  for (const other of [...region.children]) if (other.textContent === toast.textContent) other.remove();
  let timer;
  const remove = () => {
    clearTimeout(timer);
    const held = toast.contains(document.activeElement);
    toast.remove();
    makeRoom();
    if (held) byId('content').focus();
  };
  const start = () => {
    clearTimeout(timer);
    if (kind === 'done') timer = setTimeout(remove, SHOWN_MS);
  };
  const stop = () => clearTimeout(timer);
  dismiss.addEventListener('click', remove);
  for (const name of ['pointerenter', 'focusin']) toast.addEventListener(name, stop);
  for (const name of ['pointerleave', 'focusout']) toast.addEventListener(name, start);
  region.append(toast);
  while (region.children.length > MOST) region.firstElementChild.remove();
  makeRoom();
  start();
  return remove;
}

/** The page knows how high the messages are, and shows what the user has just used beside them. */
function makeRoom() {
  const { offsetHeight } = document.querySelector('.toasts');
  const room = offsetHeight === 0 ? 0 : offsetHeight + BELOW_PX;
  document.documentElement.style.setProperty('--toasts-height', `${room}px`);
  if (room > 0 && document.activeElement?.matches('button, input, select, textarea, a')) {
    document.activeElement.scrollIntoView({ block: 'nearest' });
  }
}

/** What removes the messages that the service can't be reached. */
const unreachable = new Set();

/** Shows an error, with the id of the request. */
export function notifyOfError(error) {
  const failure = failureOf(error);
  if (failure.superseded) return;
  const remove = notify('error', failure.message, requestIdOf(failure));
  if (failure.code === 'unreachable') unreachable.add(remove);
}

/** Removes the messages that the service can't be reached: it can again. */
export function clearUnreachable() {
  for (const remove of unreachable) remove();
  unreachable.clear();
}

/** Removes the messages of a view that is left; errors stay. */
export function clearDone() {
  byId('toasts-status').replaceChildren();
  makeRoom();
}

/** Removes all messages, which may be about another user. */
export function clearToasts() {
  clearDone();
  byId('toasts-alert').replaceChildren();
  makeRoom();
}
