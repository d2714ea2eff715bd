/** A change after which nothing differs that anyone could notice, with the reason. */
export interface Equivalent {
  file: string;
  /** The line, without its indentation: line numbers change. */
  line: string;
  /** What the line becomes; undefined: whatever it becomes. */
  becomes?: string;
  reason: string;
}

/** They are neither run nor counted. */
export const EQUIVALENT: readonly Equivalent[] = [
  {
    file: 'src/approvals/field-html.ts',
    line: 'const isInside = place > 0 && (text.codePointAt(place - 1) ?? 0) > 0xffff;',
    becomes: 'const isInside = place > 1 && (text.codePointAt(place - 1) ?? 0) > 0xffff;',
    reason: 'a text and its matches are well-formed, so that none begins or ends inside a surrogate pair',
  },
  {
    file: 'src/vault/refresh/access-tokens.ts',
    line: 'this.#leasing.delete(grantId);',
    becomes: ';',
    reason: 'from then on, a refresh takes its lease by a statement of its own',
  },
  {
    file: 'src/vault/refresh/token-refresher.ts',
    line: 'if (this.#inFlight.get(row.id) === bounded) this.#inFlight.delete(row.id);',
    becomes: 'if (true) this.#inFlight.delete(row.id);',
    reason: 'the lease in the database keeps others from a refresh that this process has forgotten, too',
  },
  {
    file: 'src/vault/refresh/token-refresher.ts',
    line: 'const OFTEN = 50;',
    reason: 'from then on, the row is looked at less often',
  },
];
