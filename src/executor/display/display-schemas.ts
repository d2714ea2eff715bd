import { z } from 'zod';

const passage = {
  text: z.string(),
  marks: z
    .array(z.tuple([z.int(), z.int()]))
    .optional()
    .describe('Parts that repeat what others wrote: from and to, in UTF-16 units.'),
  omitted: z.int().optional().describe('Characters that are left out at the end.'),
};
const passageObject = z.object(passage);
const more = z.int().optional().describe('Number of entries that are left out.');
const named = { name: z.string().describe('The argument that it shows, or a name of its own.'), label: z.string() };

/** A field of a question, as people read it. */
const field = z.discriminatedUnion('kind', [
  z.object({ ...named, kind: z.enum(['text', 'block', 'choice']), ...passage }),
  z.object({ ...named, kind: z.literal('when'), text: z.string(), local: z.string().optional().describe('The same in the user’s zone.') }),
  z.object({
    ...named,
    kind: z.literal('people'),
    people: z.array(z.object({ address: z.string(), name: z.string().optional(), marked: z.literal(true).optional() })),
    more,
  }),
  z.object({
    ...named,
    kind: z.literal('file'),
    files: z.array(z.object({ name: z.string(), link: z.string().optional(), note: z.string().optional() })),
    more,
  }),
  z.object({ ...named, kind: z.literal('list'), items: z.array(passageObject), more }),
  z.object({ ...named, kind: z.literal('change'), before: passageObject.optional(), after: passageObject.optional() }),
]);

const viewer = z.object({
  kind: z.enum(['person', 'group', 'domain', 'service', 'anyone', 'unknown']),
  address: z.string().optional(),
  name: z.string().optional(),
  relation: z.string().describe('How the user knows them, in words.'),
  tone: z.enum(['new', 'unknown', 'known', 'own']),
});

const provenance = z.object({
  action: z.string(),
  author: z.string().optional(),
  name: z.string().optional(),
  time: z.string().optional(),
});

/** Parts of the arguments that repeat what others wrote. */
export const match = provenance.extend({ field: z.string(), text: z.string(), from: z.int(), to: z.int() });
export const provenances = z.array(provenance);

/** A question as the thing itself. */
export const display = z.object({
  title: z.string().describe('Verb and object: “Send a mail”.'),
  viewers: z.array(viewer).describe('Who sees it, those first who deserve attention; empty: only the user.'),
  more: z.int().describe('Number of viewers that are left out.'),
  fields: z.array(field).describe('The mail, event, share or change in words; empty fields are left out.'),
  risk: z
    .object({ text: z.string(), level: z.enum(['warning', 'notice']) })
    .nullable()
    .describe('One line on what deserves attention.'),
  evidence: z
    .object({ notices: z.array(z.string()), matches: z.array(match), provenance: provenances })
    .describe('What the line is about.'),
  caution: z.boolean().describe('Text of others is repeated, or someone is not known to the user: offer “Deny” first.'),
});
