const DAY_MS = 24 * 60 * 60 * 1000;
const KEPT = 200;

/**
 * The user's events of the last day, newest first: `{seq, event, data, at}`, with the service's time. They are kept in
 * localStorage, with the number of the last one, so that those missed between two visits are requested; at the first
 * visit, all that are stored.
 */
export class EventFeed extends EventTarget {
  #key;
  #kept;

  /** @param user whose events they are: they are numbered by user */
  constructor(user) {
    super();
    this.#key = keyOf(user);
    this.#kept = read(this.#key);
  }

  get list() {
    return this.#kept.list;
  }

  /** For the client, which requests the events after this one. */
  get store() {
    return {
      get: () => this.#kept.since,
      set: (since) => this.#keep({ since }),
    };
  }

  /** Records the client's events. */
  listen(client) {
    client.addEventListener('event', ({ detail }) => this.#add(detail));
  }

  #add(detail) {
    this.#keep({ list: [detail, ...this.list].filter(isOfLastDay).slice(0, KEPT) });
    this.dispatchEvent(new CustomEvent('change', { detail }));
  }

  #keep(changes) {
    this.#kept = { ...this.#kept, ...changes };
    try {
      localStorage.setItem(this.#key, JSON.stringify(this.#kept));
    } catch {
      // Without storage, the feed begins anew with each load.
    }
  }
}

/** See page-traces.js. */
export function forgetEvents(user) {
  localStorage.removeItem(keyOf(user));
}

function keyOf({ key }) {
  return `steward.events.${key}`;
}

function isOfLastDay({ at }) {
  return Date.now() - Date.parse(at) < DAY_MS;
}

function read(key) {
  try {
    const { since, list } = JSON.parse(localStorage.getItem(key)) ?? {};
    return { since: since ?? 0, list: Array.isArray(list) ? list.filter(isOfLastDay) : [] };
  } catch {
    return { since: 0, list: [] };
  }
}
