/** Escaped HTML, made by {@link html}. */
export class SafeHtml {
  readonly value: string;

  constructor(value: string) {
    this.value = value;
  }

  toString(): string {
    return this.value;
  }
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** Template tag: escapes every value that is not SafeHtml or a list of it. */
export function html(strings: TemplateStringsArray, ...values: unknown[]): SafeHtml {
  const parts = strings.map((part, index) => part + (index < values.length ? render(values[index]) : ''));
  return new SafeHtml(parts.join(''));
}

function render(value: unknown): string {
  if (Array.isArray(value)) return value.map(render).join('');
  if (value instanceof SafeHtml) return value.value;
  return value === undefined || value === null || value === false ? '' : escapeHtml(String(value));
}

/**
 * An HTML document with the common style sheet, which is a file so that the content security policy needs no exception.
 *
 * @param head further elements of its head, such as its icon
 */
export function htmlDocument(title: string, body: SafeHtml, head: SafeHtml): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<link rel="stylesheet" href="/assets/steward.css">
${head}</head>
<body class="sheet">
${body}
</body>
</html>
`.value;
}

/** Of the service's own pages: browsers ask for /favicon.ico where there is none. */
export const ICON = html`<link rel="icon" href="/assets/favicon.svg" type="image/svg+xml">\n`;

/**
 * Content security policy of pages, which have no scripts. Browsers apply `form-action` to redirects after a form, too:
 * lead-on.ts.
 */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";
