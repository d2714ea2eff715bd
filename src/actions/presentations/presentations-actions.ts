import { z } from 'zod';
import type { Action } from '../action.ts';
import { builtIn } from '../built-in.ts';
import { NATIVE } from '../drive/drive-file.ts';
import { explainKind } from '../drive/wrong-kind.ts';
import { fileReference } from '../file-reference.ts';
import { PAGE_FIELDS } from './slide-text.ts';
import { slidesPart } from './slides-part.ts';

const MAX_SLIDES = 100;

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
    return session
      .call('slides.presentations.get', params, slidesPart, { wanted, from })
      .catch((error) => explainKind(error, session, id, `${NATIVE}presentation`));
  },
});

/** Built-in actions of the presentations agent: reading only, whatever the consent would allow. */
export const presentationsActions: readonly Action[] = [read];
