import { pages } from '../../../public/language/en/pages.js';
import { html, htmlDocument, ICON, PAGE_POLICY } from './html.ts';

/**
 * A page that leads to the target by itself, with a link for browsers that don't navigate; and its content security policy.
 *
 * @throws Error for a target of another scheme
 */
export function leadingPage(target: string): { document: string; policy: string } {
  if (!/^(?:https?:\/\/|\/(?![/\\]))/i.test(target)) throw new Error('a page leads only to addresses of http and https');
  const document = htmlDocument(
    pages.lead,
    html`<main>
<h1>${pages.lead}</h1>
<p>${pages.leadHint}<a href="${target}">${pages.lead}</a></p>
</main>`,
    html`${ICON}<meta http-equiv="refresh" content="0; url=${target}">\n`,
  );
  return { document, policy: PAGE_POLICY };
}
