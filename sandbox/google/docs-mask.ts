import { invalid } from '../api-fault.ts';
import { type Mask, parseMask } from './partial-response.ts';

/** Composites with comments somewhere below: selecting one whole selects its comments. */
const WITH_COMMENTS = new Set(['*', 'tabs', 'documentTab', 'childTabs']);
const COMMENTS = new Set(['comments', 'commentAnchors']);

/**
 * Documents are returned without comments, and the provider refuses a mask that selects any, even where there are none.
 *
 * @throws ApiFault 400
 */
export function checkDocumentMask(fields: string | null): void {
  if (fields !== null && selectsComments(parseMask(fields))) {
    throw invalid('Field mask cannot retrieve comment-specific fields when include_comments is false.');
  }
}

function selectsComments(mask: Mask): boolean {
  return Object.entries(mask).some(([name, inner]) => {
    if (COMMENTS.has(name)) return true;
    return WITH_COMMENTS.has(name) && (inner === null || selectsComments(inner));
  });
}
