/** Data of the signed-in user that several views show. Dispatches `change` when it has other content than before. */
export class Store extends EventTarget {
  #load;
  #turn = 0;
  #text;
  #value;

  /** @param load fetches the value */
  constructor(load) {
    super();
    this.#load = load;
  }

  /** undefined until it was loaded */
  get value() {
    return this.#value;
  }

  async refresh() {
    const turn = ++this.#turn;
    const value = await this.#load();
    const text = JSON.stringify(value);
    // A late response must not replace a newer one.
    if (turn !== this.#turn || text === this.#text) return;
    this.#text = text;
    this.#value = value;
    this.dispatchEvent(new Event('change'));
  }

  /** Shows the value now, if there is one, and whenever it changes. */
  watch(show) {
    this.addEventListener('change', () => show(this.#value));
    if (this.#value !== undefined) show(this.#value);
  }
}
