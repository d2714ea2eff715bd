import { frame } from '../../language/en/frame.js';
import { openDialog } from '../kit/dialog.js';
import { element } from '../kit/dom.js';
import { showError } from '../kit/feedback.js';
import { waysAgain } from './page-sign-in-ways.js';

/** A sign-in in another window tells nothing. */
const LOOK_MS = 2_000;

/**
 * Lets the user sign in again in a dialog over the page, which stays as it is.
 *
 * @param why see SignIn.again
 * @returns whether somebody has signed in, here or elsewhere; false: the user has cancelled
 */
export async function askToSignIn(signIn, why) {
  const result = element('div', { className: 'result', role: 'status' });
  const way = waysAgain(signIn, (error) => showError(result, error));
  const { dialog, closed } = openDialog({ title: frame.signInAgain, text: frame.why[why] }, way, result);
  const listening = new AbortController();
  for (const name of ['renewed', 'change']) signIn.addEventListener(name, () => dialog.close('done'), { signal: listening.signal });
  const timer = setInterval(() => signIn.follow(), LOOK_MS);
  try {
    return (await closed) === 'done';
  } finally {
    clearInterval(timer);
    listening.abort();
  }
}
