import { kit } from '../../language/en/frame.js';
import { failureOf } from '../page/page-request.js';
import { element, headingOf } from './dom.js';

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
  return requestId === undefined ? undefined : element('small', {}, kit.request, element('code', {}, requestId));
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
  const heading = headingOf(trigger);
  trigger.setAttribute('aria-busy', 'true');
  try {
    await action();
    return true;
  } catch (error) {
    failed(error);
    return false;
  } finally {
    trigger.removeAttribute('aria-busy');
    const held = document.activeElement;
    if (held === document.body || !held.checkVisibility()) (trigger.checkVisibility() ? trigger : heading)?.focus();
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
