import { Store } from '../page/page-store.js';

const RELOADING = /^(?:automation|run|approval|account)\./;
const GATHER_MS = 100;

/** The user's automations, kept as they are by the service's events, and what can be done with one. */
export class Automations {
  #session;
  #timer;

  constructor(session) {
    this.#session = session;
    this.store = new Store(async () => (await session.request('GET', '/automations')).automations);
    session.events.addEventListener('change', ({ detail }) => RELOADING.test(detail.event) && this.#refreshSoon());
    // Events that were sent meanwhile may be lost.
    session.link.addEventListener('change', () => session.connected && this.refresh());
    // Times are written anew where the user's zone has changed.
    session.preferences.watch(() => this.store.show());
  }

  /** Loads them again; a failure is shown where they are. */
  async refresh() {
    try {
      await this.store.refresh();
    } catch (error) {
      if (this.store.value !== undefined) this.#session.fail(error);
    }
  }

  /** @param id undefined: a new one @returns it as it is stored */
  async save(id, json) {
    const saved =
      id === undefined
        ? await this.#session.request('POST', '/automations', { json })
        : await this.#session.request('PATCH', pathOf(id), { json });
    const others = (this.store.value ?? []).filter((one) => one.id !== saved.id);
    this.store.set([saved, ...others]);
    await this.refresh();
    return saved;
  }

  /** Runs it now, whatever its trigger. */
  async run(id) {
    await this.#session.request('POST', `${pathOf(id)}/run`);
    await this.refresh();
  }

  async delete(id) {
    await this.#session.request('DELETE', pathOf(id));
    this.store.set((this.store.value ?? []).filter((one) => one.id !== id));
    await this.refresh();
  }

  /** Its runs, newest first: `{runs, next}`. @param before of the page before */
  runs(id, before) {
    const query = before === undefined ? '' : `?before=${encodeURIComponent(before)}`;
    return this.#session.request('GET', `${pathOf(id)}/runs${query}`);
  }

  #refreshSoon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => !this.#session.signal.aborted && this.refresh(), GATHER_MS);
  }
}

function pathOf(id) {
  return `/automations/${encodeURIComponent(id)}`;
}
