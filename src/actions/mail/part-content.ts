import { workerTask } from '../../off-thread/worker-task.ts';
import { cutText } from '../../validation/cut-text.ts';
import { htmlToText, wholeHtmlToText } from '../html/html-text.ts';
import { htmlSource } from '../html/xhtml.ts';
import { multiLine } from '../shared/display-text.ts';
import { withoutEmbeddedData } from '../shared/embedded-data.ts';
import { decodeBody } from './body-charset.ts';
import { charsetOf } from './header-parameters.ts';
import { asWritten } from './text-format.ts';

interface Content {
  /** base64url */
  data: string;
  mimeType: string;
  /** The part's own header. */
  contentType: string;
  /** Characters of HTML to convert; undefined = plain text. */
  maxHtml: number | undefined;
  /** Characters of the text that are used; one more shows that it continues. */
  enough: number;
  /** Of HTML, also what isn't displayed. */
  showsHidden: boolean;
}

const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * The text of a message part, '' if nothing of it is visible, and the number of characters of the part.
 *
 * `others`: what else is in HTML, if also that is to be shown.
 */
export const partContent = workerTask(import.meta.url, 'partContent', async (content: Content) => {
  const { data, mimeType, contentType, maxHtml, enough, showsHidden } = content;
  const source = decodeBody(Buffer.from(data, 'base64url'), { charset: charsetOf(contentType), mimeType });
  const { text, others } =
    maxHtml === undefined
      ? { text: asWritten(source, mimeType, contentType), others: '' }
      : await readHtml(htmlSource(cutText(source, maxHtml), mimeType), showsHidden);
  return { text: usable(text, enough), others: usable(others, enough), characters: source.length };
});

async function readHtml(html: string, showsHidden: boolean): Promise<{ text: string; others: string }> {
  return showsHidden ? wholeHtmlToText(html) : { text: await htmlToText(html), others: '' };
}

function usable(text: string, enough: number): string {
  const clean = withoutEmbeddedData(multiLine.parse(text));
  return VISIBLE.test(clean) ? clean.slice(0, enough + 1) : '';
}
