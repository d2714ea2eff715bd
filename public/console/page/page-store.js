/** Data of the signed-in user that several views show. Dispatches `change` when it has other content than before, or failed to load. */
export class Store extends EventTarget {
  #load;
  #turn = 0;
  /** Of the request whose response counts; undefined: a value was set meanwhile. */
  #latest;
  #text;
  #value;
  #failed = false;

  /** @param load fetches the value */
  constructor(load) {
    super();
    this.#load = load;
  }

  /** undefined until it was loaded */
  get value() {
    return this.#value;
  }

  /** Whether it could not be loaded yet. */
  get failed() {
    return this.#failed;
  }

  /** Ends when it has its first value. @param signal ends the waiting, without an end */
  async known(signal) {
    if (this.#value !== undefined) return;
    await new Promise((resolve) => this.addEventListener('change', () => this.#value !== undefined && resolve(), { signal }));
  }

  /** Loads the value; ends when it is at least as new as the call. @throws what `load` throws; the value stays as it was */
  refresh() {
    this.#turn += 1;
    this.#latest = this.#fetch(this.#turn);
    return this.#latest;
  }

  async #fetch(turn) {
    try {
      const value = await this.#load();
      // A late response must not replace a newer one.
      if (turn === this.#turn) this.#set(value);
      else await this.#latest;
    } catch (error) {
      if (turn === this.#turn) this.#setFailed(true);
      throw error;
    }
  }

  /** Shows the value now, if there is one, and whenever it changes. */
  watch(show) {
    this.state(({ value }) => value !== undefined && show(value));
  }

  /** Shows the state now and whenever it changes. @param show receives `{value, failed}`: undefined and not failed is not known yet */
  state(show) {
    const current = () => show({ value: this.#value, failed: this.#failed });
    this.addEventListener('change', current);
    current();
  }

  /** The value that the server has returned for a change. */
  set(value) {
    this.#turn += 1;
    this.#latest = undefined;
    this.#set(value);
  }

  /** Shows the value again, if there is one: it is written in another way. */
  show() {
    if (this.#value !== undefined) this.dispatchEvent(new Event('change'));
  }

  #set(value) {
    const text = JSON.stringify(value);
    const changed = text !== this.#text;
    this.#text = text;
    this.#value = value;
    if (changed || this.#failed) {
      this.#failed = false;
      this.dispatchEvent(new Event('change'));
    }
  }

  #setFailed(failed) {
    // What was loaded before is still shown.
    if (this.#value !== undefined || this.#failed === failed) return;
    this.#failed = failed;
    this.dispatchEvent(new Event('change'));
  }
}

/**
 * Several stores as one, for what names things of another: known when all are.
 *
 * @returns as of a store: `state`, whose value is the list of the values, and `refresh`; `current` is the state now
 */
export function together(...stores) {
  const current = () => ({
    value: stores.every(({ value }) => value !== undefined) ? stores.map(({ value }) => value) : undefined,
    failed: stores.some(({ failed }) => failed),
  });
  return {
    current,
    state(show) {
      for (const store of stores) store.addEventListener('change', () => show(current()));
      show(current());
    },
    refresh: () => Promise.all(stores.filter(({ value }) => value === undefined).map((store) => store.refresh())),
  };
}
