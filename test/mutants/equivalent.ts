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
export const EQUIVALENT: readonly Equivalent[] = [];
