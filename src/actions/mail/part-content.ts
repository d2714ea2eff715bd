import { portable } from '../../threads/portable.ts';
import { decodeText, htmlToText, shown } from './mail-text.ts';

interface Content {
  /** base64url */
  data: string;
  charset: string | undefined;
  /** Of HTML: how many characters are converted; undefined = it is plain text. */
  htmlRoom: number | undefined;
  /** Characters that are used of the text; of more it is only told that there are some. */
  enough: number;
}

/** The text of a message's part, '' where it is blank, and how many characters the part has. */
export const partContent = portable(import.meta.url, 'partContent', async ({ data, charset, htmlRoom, enough }: Content) => {
  const content = decodeText(Buffer.from(data, 'base64url'), charset);
  const text = shown.text.parse(htmlRoom === undefined ? content : await htmlToText(content.slice(0, htmlRoom)));
  return { text: text.trim() === '' ? '' : text.slice(0, enough + 1), characters: content.length };
});
