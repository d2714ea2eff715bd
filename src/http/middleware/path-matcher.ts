/** @returns whether an address belongs to one of these Express paths */
export function matcher(paths: Iterable<string>): (path: string) => boolean {
  const [patterns, exact] = [[...paths].filter(isPattern), new Set([...paths].filter((path) => !isPattern(path)))];
  const expressions = patterns.map((path) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`));
  return (path) => exact.has(path) || expressions.some((expression) => expression.test(path));
}

function isPattern(path: string): boolean {
  return path.includes(':');
}
