/** Something wrong in the integrations file that only shows once it is compiled. */
export interface Diagnostic {
  path: readonly PropertyKey[];
  /** Whether it lies in the key or in the value at `path`. */
  at: 'key' | 'value';
  message: string;
}

/** Collects the diagnostics at and below one place of the document. */
export class Diagnostics {
  readonly #found: Diagnostic[];
  readonly #path: readonly PropertyKey[];

  constructor(found: Diagnostic[], path: readonly PropertyKey[] = []) {
    this.#found = found;
    this.#path = path;
  }

  under(...path: PropertyKey[]): Diagnostics {
    return new Diagnostics(this.#found, [...this.#path, ...path]);
  }

  /** How many have been found so far, here and elsewhere. */
  get count(): number {
    return this.#found.length;
  }

  inValue(message: string): void {
    this.#found.push({ path: this.#path, at: 'value', message });
  }

  inKey(message: string): void {
    this.#found.push({ path: this.#path, at: 'key', message });
  }
}
