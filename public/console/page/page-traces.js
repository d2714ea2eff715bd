import { forgetDrafts } from './page-drafts.js';
import { forgetEvents } from './page-events.js';

const SIGNED_IN = 'steward.signed-in';
let isNoted = false;

/** Notes in this browser that somebody is signed in, see {@link wasCleared}. */
export function noteSignIn() {
  try {
    localStorage.setItem(SIGNED_IN, 'yes');
    isNoted = true;
  } catch {
    // Without storage, a sign-out at another page looks like the end of the session.
  }
}

/** Whether the user has signed out at one of Steward's own pages: these run no scripts, but clear what the console has stored. */
export function wasCleared() {
  return isNoted && localStorage.getItem(SIGNED_IN) === null;
}

/** Who signs out leaves nothing of theirs to the next person at this computer. */
export function forget(user) {
  forgetDrafts(user);
  forgetEvents(user);
}
