/** Of JSON: not of a class. */
function isPlainObject(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

const NUL = '\u0000';

/** What is wrong with a text; undefined: nothing is. */
type Judge = (text: string) => string | undefined;

/** Half of a surrogate pair has no encoding (RFC 8259, 8.2): the APIs of providers and models reject or replace it. */
export function halfProblem(text: string): string | undefined {
  return text.isWellFormed() ? undefined : 'must not contain half of a character (a lone surrogate)';
}

/** The same, and a NUL, which ends texts in many programs and which databases reject. */
export function halfOrNulProblem(text: string): string | undefined {
  return halfProblem(text) ?? (text.includes(NUL) ? 'must not contain NUL characters' : undefined);
}

/**
 * The first text in a JSON value that is not one; names of members count.
 *
 * @returns where, and what is wrong; undefined: nothing is
 */
export function textProblem(value: unknown, problemOf: Judge): { path: string[]; problem: string } | undefined {
  if (typeof value === 'string') {
    const problem = problemOf(value);
    return problem === undefined ? undefined : { path: [], problem };
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value) && !isPlainObject(value)) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const inName = problemOf(name);
    if (inName !== undefined) return { path: [name], problem: `its name ${inName}` };
    const found = textProblem(member, problemOf);
    if (found !== undefined) return { ...found, path: [name, ...found.path] };
  }
  return undefined;
}

/** A JSON value with a replacement character in place of each half of a surrogate pair; the same value if it has none. */
export function wellFormed<Value>(value: Value): Value {
  return repaired(value) as Value;
}

function repaired(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map(repaired);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value).map(([name, member]) => [name.toWellFormed(), repaired(member)] as const);
  const names = Object.keys(value);
  const isSame = entries.every(([name, member], index) => name === names[index] && member === value[name]);
  return isSame ? value : Object.fromEntries(entries);
}

/** Texts that come in pieces: half of a pair at the end of one waits for the other half. */
export class WellFormedPieces {
  /** By text. */
  readonly #halves = new Map<string, string>();

  /** @returns the next piece, well-formed */
  next(id: string, piece: string): string {
    const text = (this.#halves.get(id) ?? '') + piece;
    const last = text.charCodeAt(text.length - 1);
    const isHalf = last >= 0xd800 && last < 0xdc00;
    if (isHalf) this.#halves.set(id, text.slice(-1));
    else this.#halves.delete(id);
    return (isHalf ? text.slice(0, -1) : text).toWellFormed();
  }

  /** @returns what is left at the end of a text */
  end(id: string): string {
    const half = this.#halves.get(id) ?? '';
    this.#halves.delete(id);
    return half.toWellFormed();
  }
}
