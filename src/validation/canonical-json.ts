/** Canonical JSON (RFC 8785): members sorted by UTF-16 code units, scalars as ECMAScript serializes them. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  let members = '';
  for (const name of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[name];
    if (member !== undefined) members += `${members && ','}${JSON.stringify(name)}:${canonicalJson(member)}`;
  }
  return `{${members}}`;
}
