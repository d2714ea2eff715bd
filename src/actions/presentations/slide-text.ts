import { z } from 'zod';
import { list, unchecked } from '../../providers/transport/response-list.ts';
import { checked } from '../../providers/transport/responses.ts';
import { shortened } from '../../validation/cut-text.ts';
import { multiLine, nameObjects } from '../shared/display-text.ts';
import { linked, type MarkedRun, markedText, webLink } from '../shared/text-marks.ts';

/** Depth of nested groups; deeper ones are skipped. */
const MAX_DEPTH = 20;
/** Further elements are skipped; a crowded slide has hundreds. */
const MAX_ELEMENTS = 5_000;
const MAX_TEXT = 8_000;
const MAX_TITLE = 500;
/** Of a title, and of what else is said of a slide. */
const TITLE_BYTES = 2_500;
/** Of a code point, once in the text and once in the notes. */
const BYTES_PER_CHARACTER = 8;

/** A glyph is the number of an item, and not a sign: signs of some fonts are letters, too. */
const NUMBER = /^[([]?[\p{L}\p{N}]{1,10}(?:[.-][\p{L}\p{N}]{1,10})*[.):\]]$|^\p{N}{1,10}$/u;
/** Wider than any table: the provider's editor allows 20 columns. */
const MAX_COLUMNS = 100;

const run = z.object({ content: multiLine.optional() });
const link = z.object({ url: z.string().optional() }).optional();
const style = z.object({ link, strikethrough: z.boolean().optional(), baselineOffset: z.string().optional() });
const bullet = z.object({ nestingLevel: z.int().optional(), glyph: z.string().optional() });

const text = z.object({
  textElements: list(
    z.object({
      paragraphMarker: z.object({ bullet: bullet.optional() }).optional(),
      textRun: run.extend({ style: style.optional() }).optional(),
      autoText: run.optional(),
    }),
  ).default([]),
});

type Text = z.output<typeof text>;

/** In its row, those that cover several columns or rows are listed once (TableRow), so its place says which column it is in. */
const tableCell = z.object({ location: z.object({ columnIndex: z.int().min(0).default(0) }).optional(), text: text.optional() });

const element = z.object({
  objectId: z.string().optional(),
  title: multiLine.optional(),
  description: multiLine.optional(),
  shape: z
    .object({
      placeholder: z.object({ type: z.string() }).optional(),
      shapeProperties: z.object({ link }).optional(),
      text: text.optional(),
    })
    .optional(),
  table: z.object({ tableRows: list(z.object({ tableCells: list(tableCell).default([]) })).default([]) }).optional(),
  wordArt: z.object({ renderedText: multiLine.optional() }).optional(),
  image: z.object({ imageProperties: z.object({ link }).optional() }).optional(),
  video: z.object({}).optional(),
  sheetsChart: z.object({}).optional(),
  // Validated when it is read: a recursive schema would follow a hostile response to any depth.
  elementGroup: z.object({ children: unchecked.default([]) }).optional(),
});

type Element = z.output<typeof element>;

export const page = z.object({
  pageElements: unchecked.default([]),
  slideProperties: z
    .object({
      isSkipped: z.boolean().optional(),
      notesPage: z
        .object({
          notesProperties: z.object({ speakerNotesObjectId: z.string().optional() }).optional(),
          pageElements: list(element, MAX_ELEMENTS).default([]),
        })
        .optional(),
    })
    .optional(),
});

export type SlidePage = z.output<typeof page>;

// A bullet of the first level has only the list id.
const TEXT_FIELDS =
  'text(textElements(paragraphMarker(bullet(listId,nestingLevel,glyph)),' +
  'textRun(content,style(link(url),strikethrough,baselineOffset)),autoText(content)))';
const NOTES_FIELDS = `notesPage(notesProperties(speakerNotesObjectId),pageElements(objectId,shape(${TEXT_FIELDS})))`;
/** The fields of a slide that are read; without a mask, responses include every transform and style. Groups are returned complete. */
export const PAGE_FIELDS = [
  `pageElements(objectId,title,description,shape(placeholder(type),shapeProperties(link(url)),${TEXT_FIELDS})`,
  `table(tableRows(tableCells(location(columnIndex),${TEXT_FIELDS})))`,
  'wordArt(renderedText),image(contentUrl,imageProperties(link(url))),video(source),sheetsChart(chartId),elementGroup)',
  `slideProperties(isSkipped,${NOTES_FIELDS})`,
].join(',');

/** Placeholders repeated on every slide. */
const REPEATED = new Set(['SLIDE_NUMBER', 'DATE_AND_TIME', 'FOOTER', 'HEADER']);
const TITLES = new Set(['TITLE', 'CENTERED_TITLE']);

/** A part of a slide's text and notes. */
export interface SlidePart {
  /** Where it begins, code points. */
  offset: number;
  /** Bytes of JSON that the slide may take. */
  bytes: number;
}

/** Title, text and notes of a slide; of long ones a part, and `next_offset`, where the following part begins. */
export function slideText({ pageElements, slideProperties }: SlidePage, { offset, bytes }: SlidePart) {
  const { elements, more } = flattenGroups(pageElements);
  const titleElement = elements.find(({ shape }) => shape?.placeholder !== undefined && TITLES.has(shape.placeholder.type));
  const title = nameObjects(textOf(titleElement?.shape?.text));
  const body = elements.map((one) => (one === titleElement ? describedText(one, title) : elementText(one)));
  // A long title is shortened, so the text begins with it.
  const text = nameObjects([title.length > MAX_TITLE ? title : '', ...body].filter((part) => part !== '').join('\n'));
  const notes = nameObjects(notesOf(slideProperties?.notesPage));
  const end = offset + Math.min(MAX_TEXT, Math.floor((bytes - TITLE_BYTES) / BYTES_PER_CHARACTER));
  const [shown, shownNotes] = [codePoints(text, offset, end), codePoints(notes, offset, end)];
  const images = elements.filter(({ image }) => image !== undefined).length;
  return {
    ...(title !== '' && { title: shortened(title, MAX_TITLE) }),
    text: shown.part,
    ...(shownNotes.part !== '' && { notes: shownNotes.part }),
    ...(images > 0 && { images }),
    ...((shown.continues || shownNotes.continues) && { next_offset: end }),
    ...(more && { truncated: true as const }),
  };
}

function codePoints(text: string, from: number, end: number): { part: string; continues: boolean } {
  if (text.length <= end) return { part: from === 0 ? text : [...text].slice(from).join(''), continues: false };
  const characters = [...text];
  return { part: characters.slice(from, end).join(''), continues: characters.length > end };
}

/**
 * Elements with groups flattened, in order. Invalid elements of a group are skipped.
 *
 * @returns `more`: whether elements were skipped because of the limit
 * @throws AppError `provider_error` for an invalid element outside a group
 */
function flattenGroups(pageElements: readonly unknown[]): { elements: Element[]; more: boolean } {
  const elements: Element[] = [];
  const add = (one: Element, depth: number) => {
    if (one.elementGroup === undefined) elements.push(one);
    else if (depth > 0) {
      elements.push({ ...one, elementGroup: undefined });
      addAll(one.elementGroup.children, (child) => element.safeParse(child).data, depth - 1);
    }
  };
  let count = 0;
  const addAll = (given: readonly unknown[], read: (one: unknown) => Element | undefined, depth: number) => {
    for (const one of given) {
      count += 1;
      if (count > MAX_ELEMENTS) return;
      const valid = read(one);
      if (valid !== undefined) add(valid, depth);
    }
  };
  addAll(pageElements, (one) => checked(element, one), MAX_DEPTH);
  return { elements, more: count > MAX_ELEMENTS };
}

function elementText(one: Element): string {
  const placeholder = one.shape?.placeholder;
  if (placeholder !== undefined && REPEATED.has(placeholder.type)) return '';
  const own = ownText(one);
  return [own, describedText(one, own)].filter((part) => part !== '').join('\n');
}

/** The alternative text, unless it only repeats the element's own. */
function describedText(one: Element, own: string): string {
  const described = alternativeText(one);
  return described === `[${own}]` ? '' : described;
}

function ownText({ shape, table, wordArt }: Element): string {
  if (table !== undefined) return table.tableRows.map(rowText).join('\n');
  if (shape === undefined) return wordArt?.renderedText ?? '';
  const own = textOf(shape.text);
  return own === '' ? '' : linked(own, shape.shapeProperties?.link?.url);
}

function rowText({ tableCells }: { tableCells: readonly z.output<typeof tableCell>[] }): string {
  const cells: string[] = [];
  for (const { location, text: content } of tableCells) {
    while (cells.length < Math.min(location?.columnIndex ?? 0, MAX_COLUMNS)) cells.push('');
    cells.push(joinLines(textOf(content)));
  }
  return cells.join(' | ');
}

/** Title and description are both parts of it (PageElement). Images are counted besides, videos and charts are not. */
function alternativeText({ video, sheetsChart, image, title, description }: Element): string {
  const kind = video !== undefined ? 'video' : sheetsChart !== undefined ? 'chart' : undefined;
  const described = [kind, title, description].filter((part) => part !== undefined && part !== '').join(': ');
  const link = webLink(image?.imageProperties?.link?.url);
  if (link !== undefined) return `[[${described || 'image'}]](${link})`;
  return described === '' ? '' : `[${described}]`;
}

function notesOf(notesPage: NonNullable<SlidePage['slideProperties']>['notesPage']): string {
  const id = notesPage?.notesProperties?.speakerNotesObjectId;
  if (id === undefined) return '';
  return textOf(notesPage?.pageElements.find(({ objectId }) => objectId === id)?.shape?.text);
}

/** Joins lines with spaces. */
function joinLines(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').join(' ');
}

/** The paragraphs as lines; bullets become dashes or numbers, indented by their level, unless nothing follows them. */
function textOf(text: Text | undefined): string {
  const paragraphs: { mark: string; runs: MarkedRun[] }[] = [{ mark: '', runs: [] }];
  for (const { paragraphMarker, textRun, autoText } of text?.textElements ?? []) {
    if (paragraphMarker !== undefined) paragraphs.push({ mark: markOf(paragraphMarker), runs: [] });
    const { link: to, ...marks } = textRun?.style ?? {};
    paragraphs.at(-1)?.runs.push({ content: textRun?.content ?? autoText?.content ?? '', marks: { ...marks, url: to?.url } });
  }
  const lines = paragraphs.map(({ mark, runs }) => {
    const content = markedText(runs);
    return content.trim() === '' ? content : `${mark}${content}`;
  });
  return lines.join('').trim();
}

function markOf({ bullet: of }: NonNullable<Text['textElements'][number]['paragraphMarker']>): string {
  if (of === undefined) return '';
  const glyph = of.glyph?.trim() ?? '';
  return `${'  '.repeat(Math.min(of.nestingLevel ?? 0, 8))}${NUMBER.test(glyph) ? glyph : '-'} `;
}
