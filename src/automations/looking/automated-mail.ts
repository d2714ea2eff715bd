/** A header field, as received. */
export interface HeaderField {
  name: string;
  value: string;
}

/** The header fields that tell who, or what, has sent a mail. */
export const ORIGIN_FIELDS = ['Auto-Submitted', 'List-Id', 'List-Unsubscribe', 'Precedence'] as const;

const BULK = new Set(['bulk', 'list', 'junk']);
/** A value has a keyword, and may have comments and parameters (RFC 3834, 5). */
const KEYWORD = /^[\s]*(?:\([^()]*\)\s*)*([a-z0-9-]{1,40})/i;

/**
 * What has sent a mail (RFC 3834, RFC 2919, RFC 2369): `reply` is a program's answer to another mail, such as a note of absence,
 * which must start nothing; `automated` is another mail of a program or of a list. A field that can't be read says that it was
 * automated: people's programs don't write it.
 */
export function originOf(headers: readonly HeaderField[]): 'reply' | 'automated' | 'person' {
  const valuesOf = (field: string) => headers.filter(({ name }) => name.toLowerCase() === field).map(({ value }) => keywordOf(value));
  const submitted = valuesOf('auto-submitted');
  if (submitted.includes('auto-replied')) return 'reply';
  if (submitted.some((value) => value !== 'no')) return 'automated';
  if (valuesOf('list-id').length > 0 || valuesOf('list-unsubscribe').length > 0) return 'automated';
  return valuesOf('precedence').some((value) => BULK.has(value)) ? 'automated' : 'person';
}

function keywordOf(value: string): string {
  return (KEYWORD.exec(value.slice(0, 1_000))?.[1] ?? '').toLowerCase();
}
