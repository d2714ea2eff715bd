import { z } from 'zod';
import { NATIVE } from '../drive/drive-file.ts';
import { explainKind } from '../drive/wrong-kind.ts';
import type { Action } from '../shared/action.ts';
import { builtIn } from '../shared/built-in.ts';
import { singleLine } from '../shared/display-text.ts';
import { fileReference } from '../shared/file-reference.ts';
import { offset } from '../shared/text-part.ts';
import { PAGE_FIELDS } from './slide-text.ts';
import { slidesPart } from './slides-part.ts';

const MAX_SLIDES = 100;

const input = z
  .strictObject({
    id: fileReference('presentation').describe('Id or URL of the file.'),
    slides: z.array(z.int().min(1).max(10_000)).min(1).max(MAX_SLIDES).optional().describe('Numbers of slides; default all.'),
    from: z.int().min(1).max(10_000).default(1).describe('`next` of the previous result.'),
    offset: offset.describe('`next_offset` of a slide, to read on in it; its number alone is in `slides`.'),
  })
  .refine(({ slides, offset }) => offset === 0 || slides?.length === 1, {
    path: ['offset'],
    error: 'give the number of one slide in slides',
  });

const titled = z.object({ title: singleLine });

const output = z.object({
  title: z.string(),
  count: z.int().describe('Number of slides in the presentation.'),
  slides: z.array(
    z.object({
      number: z.int().describe('Counted from 1.'),
      title: z.string().optional(),
      text: z.string().describe('Text boxes, groups and tables in order; a table row is a line with | between its cells.'),
      notes: z.string().optional().describe('Speaker notes.'),
      images: z.int().optional().describe('Number of images; their content is not read.'),
      skipped: z.literal(true).optional().describe('The slide is skipped in presentations.'),
      next_offset: z.int().optional().describe('Text or notes are longer: pass this as `offset`, and the number alone in `slides`.'),
      truncated: z.literal(true).optional().describe('The slide has more elements than are read: open the presentation in a browser.'),
    }),
  ),
  next: z.int().optional().describe('There are more: pass this as `from`.'),
});

const read = builtIn('workspace', {
  name: 'presentations.read',
  effect: 'read',
  description: 'Read the slides of a presentation: titles, text and speaker notes.',
  scopes: ['presentations.readonly', 'drive'],
  input,
  output,
  sources: ({ title: name }, { id: item }) => [{ item, integrity: 'others', name }],
  summary: ({ id, slides }) => `Read ${slides === undefined ? 'the slides' : `slides ${slides.join(', ')}`} of presentation ${id}`,
  async shown({ id }, _facts, { session }) {
    const { title: name } = await session.call('slides.presentations.get', { presentationId: id, fields: 'title' }, titled);
    return { items: { id: [{ name, type: 'presentation', link: `https://docs.google.com/presentation/d/${id}/edit` }] } };
  },
  async run({ id, slides: numbers, from, offset }, { session, capBytes }) {
    const params = { presentationId: id, fields: `title,slides(${PAGE_FIELDS})` };
    return session
      .call('slides.presentations.get', params, slidesPart, { numbers, from, offset, capBytes })
      .catch((error) => explainKind(error, session, id, `${NATIVE}presentation`));
  },
});

/** Built-in actions of the presentations agent: read-only, even if the granted scopes allow more. */
export const presentationsActions: readonly Action[] = [read];
