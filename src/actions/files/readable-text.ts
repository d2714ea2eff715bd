import { cutText } from '../../validation/cut-text.ts';
import { htmlToText } from '../html/html-text.ts';
import { htmlSource } from '../html/xhtml.ts';
import { withoutEmbeddedData } from '../shared/embedded-data.ts';
import { decodeText, type TextFacts } from './decode-text.ts';
import { isPage } from './text-types.ts';

/** UTF-16 units of HTML that are converted, without the files in it: a few seconds' work at worst. */
const MAX_HTML = 1_000_000;
const TOO_LONG = '[The rest of this page is too long to show.]';

/** The text of a file as a person reads it who opens it: of a page what it displays, of anything else the text itself. */
export async function readableText(bytes: Uint8Array, facts: TextFacts): Promise<string> {
  const { mimeType = '' } = facts;
  const text = decodeText(bytes, facts);
  if (!isPage(mimeType)) return text;
  const source = withoutEmbeddedData(htmlSource(text, mimeType));
  const displayed = await htmlToText(cutText(source, MAX_HTML));
  return source.length > MAX_HTML ? `${displayed}\n\n${TOO_LONG}`.trim() : displayed;
}
