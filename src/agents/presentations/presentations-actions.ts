import { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { Action } from '../action.ts';
import { builtIn } from '../built-in.ts';
import { fileReference } from '../file-reference.ts';
import { oneLine } from '../shown-text.ts';
import { PAGE_FIELDS, page, type SlidePage, slideText } from './slide-text.ts';

const MAX_SLIDES = 100;
/** A little below where answers are cut, since `next` would then pass over what was cut off. */
const MAX_BYTES = 200_000;

const input = z.strictObject({
  id: fileReference('presentation').describe('Id of the file, or its address in the browser.'),
  slides: z.array(z.int().min(1).max(10_000)).min(1).max(MAX_SLIDES).optional().describe('Numbers of the slides; absent = all of them.'),
  from: z.int().min(1).max(10_000).default(1).describe('First slide, when all are read: `next` of the answer before.'),
});

const output = z.object({
  title: z.string(),
  count: z.int().describe('Slides in the presentation.'),
  slides: z.array(
    z.object({
      number: z.int().describe('Counted from 1.'),
      title: z.string().optional(),
      text: z.string().describe('Text boxes, groups and tables in their order; a table row is a line with | between its cells.'),
      notes: z.string().optional().describe('Speaker notes.'),
      images: z.int().optional().describe('Pictures; what they show is known only where text describes it.'),
      skipped: z.literal(true).optional().describe('Left out when presenting.'),
      truncated: z.literal(true).optional().describe('Text or notes were too long and are cut.'),
    }),
  ),
  next: z.int().optional().describe('First slide that found no room in this answer.'),
});

const answer = z.object({ title: oneLine(300), slides: z.array(page).default([]) });

const read = builtIn({
  name: 'presentations.read',
  provider: 'workspace',
  effect: 'read',
  description: 'Read the slides of a presentation: titles, text and speaker notes.',
  scopes: ['presentations.readonly', 'drive'],
  input,
  output,
  summary: ({ id, slides }) => `Read ${slides === undefined ? 'the slides' : `slides ${slides.join(', ')}`} of presentation ${id}`,
  async run({ id, slides: wanted, from }, { session }) {
    const params = { presentationId: id, fields: `title,slides(${PAGE_FIELDS})` };
    const { title, slides } = await session.call('slides.presentations.get', params, answer);
    const count = slides.length;
    const numbers = (wanted ?? slides.map((_, index) => index + 1).slice(from - 1)).filter((number) => number <= count);
    if (numbers.length === 0 && (wanted !== undefined || from > 1)) throw beyond(wanted === undefined ? 'from' : 'slides', count);
    const { shown, next } = shownSlides(numbers.flatMap((number) => describe(slides[number - 1], number)));
    return { title, count, slides: shown, ...(next !== undefined && { next }) };
  },
});

/** Built-in actions of the presentations agent: reading only, whatever the consent would allow. */
export const presentationsActions: readonly Action[] = [read];

/** Of numbers some of which have a slide, the others are passed over: `count` says why. */
function beyond(field: 'from' | 'slides', count: number): AppError {
  return new AppError('invalid_request', `${field}: there is no such slide; the presentation has ${count}`);
}

function describe(slide: SlidePage | undefined, number: number) {
  if (slide === undefined) return [];
  return [{ number, ...slideText(slide), ...(slide.slideProperties?.isSkipped === true && { skipped: true as const }) }];
}

/** As many as fit into one answer; `next` is the first one that doesn't. */
function shownSlides(all: ReturnType<typeof describe>) {
  let left = MAX_BYTES;
  const first = all.findIndex((slide, index) => {
    left -= Buffer.byteLength(JSON.stringify(slide));
    return index > 0 && left < 0;
  });
  return first === -1 ? { shown: all } : { shown: all.slice(0, first), next: all[first]?.number };
}
