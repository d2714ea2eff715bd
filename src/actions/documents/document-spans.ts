import { z } from 'zod';
import { singleLine } from '../shared/display-text.ts';
import { linked, type MarkedRun, markedText } from '../shared/text-marks.ts';
import type { DocumentReferences } from './document-references.ts';

const link = z.object({ url: z.string().optional() }).optional();

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
          baselineOffset: z.string().optional(),
          link,
        })
        .default({}),
    })
    .optional(),
  person: z.object({ personProperties: z.object({ name: singleLine.optional(), email: singleLine.optional() }).optional() }).optional(),
  richLink: z.object({ richLinkProperties: z.object({ title: singleLine.optional(), uri: z.string().optional() }).optional() }).optional(),
  dateElement: z
    .object({
      dateElementProperties: z.object({ displayText: singleLine.optional(), timestamp: singleLine.optional() }).optional(),
    })
    .optional(),
  dropdown: z.object({ dropdownProperties: z.object({ displayValue: singleLine.optional() }).optional() }).optional(),
  autoText: z.object({ type: z.string().max(50).optional() }).optional(),
  inlineObjectElement: z.object({ inlineObjectId: z.string().default(''), textStyle: z.object({ link }).optional() }).optional(),
  horizontalRule: z.object({}).optional(),
  footnoteReference: z.object({ footnoteId: z.string().optional(), footnoteNumber: singleLine.optional() }).optional(),
  equation: z.object({}).optional(),
  columnBreak: z.object({}).optional(),
  pageBreak: z.object({}).optional(),
});

type ParagraphElement = z.output<typeof paragraphElement>;

/**
 * The text of a paragraph's elements.
 *
 * @param plain without marks for bold and italic
 */
export function elementsMarkdown(elements: readonly ParagraphElement[], references: DocumentReferences, plain: boolean): string {
  return markedText(elements.map((element) => runOf(element, references, plain)));
}

function runOf(element: ParagraphElement, references: DocumentReferences, plain: boolean): MarkedRun {
  const { textRun, inlineObjectElement: object } = element;
  if (object !== undefined) return { content: references.describe(object.inlineObjectId), marks: { url: object.textStyle?.link?.url } };
  if (textRun === undefined) return { content: objectMarkdown(element, references), marks: {} };
  const { link, ...marks } = textRun.textStyle;
  return { content: textRun.content, marks: { ...marks, url: link?.url, ...(plain && { bold: false, italic: false }) } };
}

function objectMarkdown(element: ParagraphElement, references: DocumentReferences): string {
  const { footnoteReference: note } = element;
  if (note !== undefined) return references.cite(note.footnoteId, note.footnoteNumber);
  if (element.person !== undefined) return personMarkdown(element.person.personProperties);
  if (element.richLink !== undefined) return richLinkMarkdown(element.richLink.richLinkProperties);
  if (element.dateElement !== undefined) return dateText(element.dateElement.dateElementProperties);
  if (element.dropdown !== undefined) return element.dropdown.dropdownProperties?.displayValue || '[dropdown]';
  if (element.autoText !== undefined) return AUTO_TEXTS.get(element.autoText.type ?? '') ?? '[automatic text]';
  if (element.equation !== undefined) return '[equation]';
  if (element.columnBreak !== undefined || element.pageBreak !== undefined) return '\n';
  return element.horizontalRule === undefined ? '' : '---';
}

/** A name that is empty says nothing. */
function personMarkdown(person: { name?: string | undefined; email?: string | undefined } | undefined): string {
  const { name, email } = person ?? {};
  return name && email ? `${name} <${email}>` : name || (email ?? '');
}

function dateText({ displayText, timestamp }: { displayText?: string | undefined; timestamp?: string | undefined } = {}): string {
  return displayText || timestamp || '[date]';
}

function richLinkMarkdown(properties: { title?: string | undefined; uri?: string | undefined } | undefined): string {
  return linked(properties?.title || (properties?.uri ?? ''), properties?.uri);
}
