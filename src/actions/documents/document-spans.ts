import { z } from 'zod';
import { singleLine } from '../shared/display-text.ts';
import type { DocumentReferences } from './document-references.ts';

const address = z.string().max(4_000);

/** AutoText.Type: what differs from page to page. */
const AUTO_TEXTS = new Map([
  ['PAGE_NUMBER', '[page number]'],
  ['PAGE_COUNT', '[page count]'],
]);

/** The elements of a paragraph that can be displayed as text. */
export const paragraphElement = z.object({
  textRun: z
    .object({
      content: z.string().default(''),
      textStyle: z
        .object({
          bold: z.boolean().optional(),
          italic: z.boolean().optional(),
          strikethrough: z.boolean().optional(),
          link: z.object({ url: address.optional() }).optional(),
        })
        .default({}),
    })
    .optional(),
  person: z.object({ personProperties: z.object({ name: singleLine.optional(), email: singleLine.optional() }).optional() }).optional(),
  richLink: z.object({ richLinkProperties: z.object({ title: singleLine.optional(), uri: address.optional() }).optional() }).optional(),
  dateElement: z
    .object({
      dateElementProperties: z.object({ displayText: singleLine.optional(), timestamp: singleLine.optional() }).optional(),
    })
    .optional(),
  dropdown: z.object({ dropdownProperties: z.object({ displayValue: singleLine.optional() }).optional() }).optional(),
  autoText: z.object({ type: z.string().max(50).optional() }).optional(),
  inlineObjectElement: z.object({ inlineObjectId: z.string().default('') }).optional(),
  horizontalRule: z.object({}).optional(),
  footnoteReference: z.object({ footnoteId: z.string().optional(), footnoteNumber: singleLine.optional() }).optional(),
  equation: z.object({}).optional(),
  columnBreak: z.object({}).optional(),
  pageBreak: z.object({}).optional(),
});

type ParagraphElement = z.output<typeof paragraphElement>;
type TextRun = NonNullable<ParagraphElement['textRun']>;

/**
 * The text of a paragraph's elements.
 *
 * @param plain without marks for bold and italic
 */
export function elementsMarkdown(elements: readonly ParagraphElement[], references: DocumentReferences, plain: boolean): string {
  let text = '';
  let open: TextRun | undefined;
  for (const element of elements) {
    const { textRun } = element;
    // Runs also end where only the font changes; runs with the same marks are joined.
    if (open !== undefined && textRun !== undefined && hasSameStyle(open, textRun)) {
      open = { ...open, content: open.content + textRun.content };
      continue;
    }
    if (open !== undefined) text += runMarkdown(open, plain);
    open = textRun;
    if (textRun === undefined) text += objectMarkdown(element, references);
  }
  return open === undefined ? text : text + runMarkdown(open, plain);
}

function hasSameStyle({ textStyle: one }: TextRun, { textStyle: other }: TextRun): boolean {
  const same = (['bold', 'italic', 'strikethrough'] as const).every((mark) => (one[mark] ?? false) === (other[mark] ?? false));
  return same && one.link?.url === other.link?.url;
}

function objectMarkdown(element: ParagraphElement, references: DocumentReferences): string {
  const { footnoteReference: note, inlineObjectElement: object } = element;
  if (note !== undefined) return references.cite(note.footnoteId, note.footnoteNumber);
  if (object !== undefined) return references.describe(object.inlineObjectId);
  if (element.person !== undefined) return personMarkdown(element.person.personProperties);
  if (element.richLink !== undefined) return richLinkMarkdown(element.richLink.richLinkProperties);
  if (element.dateElement !== undefined) return dateText(element.dateElement.dateElementProperties);
  if (element.dropdown !== undefined) return element.dropdown.dropdownProperties?.displayValue ?? '[dropdown]';
  if (element.autoText !== undefined) return AUTO_TEXTS.get(element.autoText.type ?? '') ?? '[automatic text]';
  if (element.equation !== undefined) return '[equation]';
  if (element.columnBreak !== undefined || element.pageBreak !== undefined) return '\n';
  return element.horizontalRule === undefined ? '' : '---';
}

function runMarkdown({ content, textStyle }: TextRun, plain: boolean): string {
  const text = content.trim();
  if (text === '') return content;
  const { bold, italic, strikethrough, link } = textStyle;
  let marked = text;
  if (italic === true && !plain) marked = `*${marked}*`;
  if (bold === true && !plain) marked = `**${marked}**`;
  if (strikethrough === true) marked = `~~${marked}~~`;
  // Markdown ignores marks that are separated from the text by a space.
  const at = content.indexOf(text);
  return content.slice(0, at) + linked(marked, link?.url) + content.slice(at + text.length);
}

function personMarkdown(person: { name?: string | undefined; email?: string | undefined } | undefined): string {
  const { name, email } = person ?? {};
  return name !== undefined && email !== undefined ? `${name} <${email}>` : (name ?? email ?? '');
}

function dateText({ displayText, timestamp }: { displayText?: string | undefined; timestamp?: string | undefined } = {}): string {
  return displayText ?? timestamp ?? '[date]';
}

function richLinkMarkdown(properties: { title?: string | undefined; uri?: string | undefined } | undefined): string {
  return linked(properties?.title ?? properties?.uri ?? '', properties?.uri);
}

/** Links only web and mail addresses; otherwise returns the text. */
function linked(text: string, url: string | undefined): string {
  const parsed = url === undefined ? null : URL.parse(url);
  if (parsed === null || !['http:', 'https:', 'mailto:'].includes(parsed.protocol)) return text;
  // A parenthesis would end the address early.
  return `[${text}](${parsed.href.replaceAll('(', '%28').replaceAll(')', '%29')})`;
}
