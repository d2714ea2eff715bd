import { VOID } from './html-elements.ts';

/** An element without content; neither its attributes nor their values hold a `<` (XML 1.0, 3.1). */
const EMPTY = /<([a-z_][\w:.-]*)((?:[\t\n\r ][^<>"']*(?:"[^<"]*"[^<>"']*|'[^<']*'[^<>"']*)*)?)\/>/gi;

/**
 * Markup as a reader of HTML takes it: in XHTML, `<script src="x"/>` is a whole element, whereas in HTML it begins one whose
 * content is everything that follows.
 */
export function htmlSource(source: string, mimeType: string): string {
  if (mimeType !== 'application/xhtml+xml') return source;
  return source.replace(EMPTY, (tag, name: string, attributes: string) =>
    VOID.has(name.toLowerCase()) ? tag : `<${name}${attributes}></${name}>`,
  );
}
