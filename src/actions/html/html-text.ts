import type { FormatCallback } from 'html-to-text';
import { outline, wholeOutline } from './html-outline.ts';
import { orderedList } from './ordered-list.ts';

/** HTML as readable text: what someone sees who looks at it, links with their addresses, for images their texts. Nothing is loaded. */
export function htmlToText(html: string): Promise<string> {
  return converted(outline(html));
}

/** The same with text that isn't displayed, and what else the source holds that is an address or words. */
export async function wholeHtmlToText(html: string): Promise<{ text: string; others: string }> {
  const { displayed, others } = wholeOutline(html);
  return { text: await converted(displayed), others: await converted(others.join('; ').replaceAll('<', '&lt;')) };
}

/** @param html an outline */
async function converted(html: string): Promise<string> {
  const { convert } = await import('html-to-text');
  const text = convert(html, {
    wordwrap: false,
    formatters: { addressed, orderedList },
    selectors: [
      { selector: 'a', format: 'addressed' },
      { selector: 'ol', format: 'orderedList' },
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    ],
  });
  return text
    .replaceAll('\u00a0', ' ')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** A link: its text, and behind that its address, unless the text is the address. */
const addressed: FormatCallback = ({ attribs, children }, walk, builder) => {
  const address = attribs?.href?.replace(/^mailto:/, '') ?? '';
  let text = '';
  builder.pushWordTransform((word) => {
    text += word;
    return word;
  });
  walk(children, builder);
  builder.popWordTransform();
  if (address !== '' && address !== text) builder.addInline(` <${address}>`, { noWordTransform: true });
};
