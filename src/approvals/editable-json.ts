import { escapeHidden } from '../http/pages/visible-text.ts';

/** Characters of all texts of one page; a page of megabytes could not be read. */
const MAX_CHARACTERS = 300_000;

/**
 * Arguments as JSON that a user can change: hidden characters are escaped, so that they are seen and not lost.
 *
 * @returns undefined: it is too long for a page
 */
export function editableJson(input: unknown): string | undefined {
  return editableText(JSON.stringify(input, null, 2));
}

/** The same of a JSON text. */
export function editableText(json: string): string | undefined {
  const text = json.length > MAX_CHARACTERS ? json : escapeHidden(json);
  return text.length > MAX_CHARACTERS ? undefined : text;
}
