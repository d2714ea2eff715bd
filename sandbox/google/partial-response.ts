import { invalid } from '../api-fault.ts';

/** The selected fields, with those below; null: all. */
export interface Mask {
  [name: string]: Mask | null;
}

/**
 * Parses `fields`, a parameter of every API: `a,b(c,d/e),*`. `a.b` of the newer APIs is `a/b`.
 *
 * @throws ApiFault 400 when it is invalid
 */
export function parseMask(fields: string): Mask {
  const tokens = fields.match(/[A-Za-z_*][A-Za-z0-9_]*|[(),/.]|\S/g) ?? [];
  let at = 0;
  const name = (): string => {
    const token = tokens[at++] ?? '';
    if (!/^(\*|\w+)$/.test(token)) throw invalid(`Invalid field selection ${token}`);
    return token;
  };
  const list = (): Mask => {
    const mask: Mask = {};
    do {
      const field = name();
      const inner = below();
      mask[field] = Object.hasOwn(mask, field) ? both(mask[field] ?? null, inner) : inner;
    } while (tokens[at] === ',' && at++ >= 0);
    return mask;
  };
  const below = (): Mask | null => {
    if (tokens[at] === '/' || tokens[at] === '.') {
      at += 1;
      return { [name()]: below() };
    }
    if (tokens[at] !== '(') return null;
    at += 1;
    const inner = list();
    if (tokens[at++] !== ')') throw invalid('Invalid field selection');
    return inner;
  };
  const mask = list();
  if (at < tokens.length) throw invalid(`Invalid field selection ${tokens[at]}`);
  return mask;
}

/** The part of a value that a mask selects. */
export function part(value: unknown, mask: Mask | null): unknown {
  if (mask === null || '*' in mask) return value;
  if (Array.isArray(value)) return value.map((item) => part(item, mask));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => Object.hasOwn(mask, name));
  return Object.fromEntries(kept.map(([name, inner]) => [name, part(inner, mask[name] ?? null)]));
}

/** `a/b,a/c` selects both. */
function both(one: Mask | null, other: Mask | null): Mask | null {
  if (one === null || other === null) return null;
  const merged: Mask = { ...one };
  for (const [name, mask] of Object.entries(other)) merged[name] = Object.hasOwn(one, name) ? both(one[name] ?? null, mask) : mask;
  return merged;
}
