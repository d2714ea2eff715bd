import { portable } from '../../threads/portable.ts';
import { cutText } from '../../validation/cut-text.ts';
import { decodeText, htmlToText, shown } from './mail-text.ts';

interface Content {
  /** base64url */
  data: string;
  charset: string | undefined;
  /** Characters of HTML to convert; undefined = plain text. */
  maxHtml: number | undefined;
  /** Characters of the text that are used; one more shows that it continues. */
  enough: number;
  /** Of HTML, also what isn't displayed. */
  showsHidden: boolean;
}

/** The text of a message part, '' if it is blank, and the number of characters of the part. */
export const partContent = portable(import.meta.url, 'partContent', async ({ data, charset, maxHtml, enough, showsHidden }: Content) => {
  const content = decodeText(Buffer.from(data, 'base64url'), charset);
  const text = shown.text.parse(maxHtml === undefined ? content : await htmlToText(cutText(content, maxHtml), showsHidden));
  return { text: text.trim() === '' ? '' : text.slice(0, enough + 1), characters: content.length };
});
