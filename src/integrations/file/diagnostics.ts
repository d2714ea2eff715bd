/** An error in the integrations file, found when it is compiled. */
export interface Diagnostic {
  path: readonly PropertyKey[];
  /** Whether it is about the key or the value at `path`. */
  at: 'key' | 'value';
  message: string;
}

/** Collects the diagnostics at and below one path of the document. */
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

  /** Number of diagnostics found so far, at any path. */
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
