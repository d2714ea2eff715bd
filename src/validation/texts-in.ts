/** A text in a JSON value. */
export interface TextIn {
  /** `body`, `to.0.address`; '': the value itself. */
  path: string;
  text: string;
}

/** The texts in a JSON value, at any depth, in its order. */
export function textsIn(value: unknown): TextIn[] {
  const found: TextIn[] = [];
  collect(value, '', found);
  return found;
}

function collect(value: unknown, path: string, found: TextIn[]): void {
  if (typeof value === 'string') found.push({ path, text: value });
  if (typeof value !== 'object' || value === null) return;
  for (const [name, one] of Object.entries(value)) collect(one, path === '' ? name : `${path}.${name}`, found);
}
