const MOST = 50;

/**
 * What the user has typed and not sent, by the thing it is for. It is kept in this browser, so that it survives the end of
 * the session, a reload and a crash; under the user's key, so that another user never gets it.
 */
export class Drafts {
  #key;
  #signal;

  /** @param signal aborted when the user is no longer signed in: nothing is kept any more */
  constructor(user, signal) {
    this.#key = keyOf(user);
    this.#signal = signal;
  }

  /** @returns undefined: there is none */
  get(id) {
    return this.#read().find(([one]) => one === id)?.[1];
  }

  /** @param value any JSON; undefined: nothing */
  keep(id, value) {
    if (this.#signal.aborted) return;
    const others = this.#read().filter(([one]) => one !== id);
    // The oldest give way.
    const all = value === undefined ? others : [...others, [id, value]].slice(-MOST);
    try {
      if (all.length === 0) localStorage.removeItem(this.#key);
      else localStorage.setItem(this.#key, JSON.stringify(all));
    } catch {
      // Without storage, a draft lives as long as the page.
    }
  }

  #read() {
    try {
      return JSON.parse(localStorage.getItem(this.#key)) ?? [];
    } catch {
      return [];
    }
  }
}

/** See page-traces.js. */
export function forgetDrafts(user) {
  localStorage.removeItem(keyOf(user));
}

function keyOf({ key }) {
  return `steward.drafts.${key}`;
}
