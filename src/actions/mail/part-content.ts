import { workerTask } from '../../off-thread/worker-task.ts';
import { cutText } from '../../validation/cut-text.ts';
import { htmlToText, wholeHtmlToText } from '../html/html-text.ts';
import { withoutEmbeddedData } from '../shared/embedded-data.ts';
import { decodeBody } from './body-charset.ts';
import { shown } from './mail-text.ts';

interface Content {
  /** base64url */
  data: string;
  charset: string | undefined;
  mimeType: string;
  /** Characters of HTML to convert; undefined = plain text. */
  maxHtml: number | undefined;
  /** Characters of the text that are used; one more shows that it continues. */
  enough: number;
  /** Of HTML, also what isn't displayed. */
  showsHidden: boolean;
}

/**
 * The text of a message part, '' if it is blank, and the number of characters of the part.
 *
 * `others`: what else is in HTML, if also that is to be shown.
 */
export const partContent = workerTask(
  import.meta.url,
  'partContent',
  async ({ data, charset, mimeType, maxHtml, enough, showsHidden }: Content) => {
    const content = decodeBody(Buffer.from(data, 'base64url'), { charset, mimeType });
    const { text, others } = maxHtml === undefined ? { text: content, others: '' } : await readHtml(cutText(content, maxHtml), showsHidden);
    return { text: usable(text, enough), others: usable(others, enough), characters: content.length };
  },
);

async function readHtml(html: string, showsHidden: boolean): Promise<{ text: string; others: string }> {
  return showsHidden ? wholeHtmlToText(html) : { text: await htmlToText(html), others: '' };
}

function usable(text: string, enough: number): string {
  const clean = withoutEmbeddedData(shown.text.parse(text));
  return clean.trim() === '' ? '' : clean.slice(0, enough + 1);
}
