import type { Intent, Said } from './intent.ts';
import { findFile, findMail } from './lookups.ts';
import { type Plan, Stopped, type World } from './plans.ts';
import { addressesIn, unquoted } from './said-text.ts';
import { type Data, listOf, str } from './tool-results.ts';

/** The subject of a mail for which none is named: the beginning of its text. */
const SUBJECT_WORDS = 6;

/** Writing mail: drafts, replies and mails. */
export const mailWritingIntents: readonly Intent[] = [
  {
    example: 'Draft a reply to the newest mail from Sarah: I will be there.',
    pattern: /^(?:draft|write|prepare) (?:me )?a reply to (?<mail>.+?)(?: (?:that says|saying)|:) (?<body>[\s\S]+)$/i,
    *plan(said, world) {
      yield* world.run('mail_draft', yield* replyOf(said, world));
      return 'The reply is among your drafts. Nothing has been sent.';
    },
  },
  {
    example: 'Reply to the newest mail from Sarah: I will be there.',
    pattern:
      /^(?:reply|answer|respond) (?:to )?(?<mail>it|that|.*\b(?:(?:e-?)?mail|message)\b.*?)(?: (?:that|saying|with)|:) (?<body>[\s\S]+)$/i,
    *plan(said, world) {
      const reply = yield* replyOf(said, world);
      yield* world.run('mail_send', reply);
      return `I sent the reply to ${(reply.to as string[]).join(', ')}.`;
    },
  },
  {
    example: 'Change the draft about lunch: Shall we meet at one?',
    pattern: /^(?:change|update|rewrite) (?:the |my )?(?:newest )?draft(?: (?:about|to) (?:the )?(?<query>.+?))?: (?<body>[\s\S]+)$/i,
    *plan({ query, body = '' }, world) {
      const { id, subject } = yield* findDraft(query, world);
      yield* world.run('mail_draft_update', { id: str(id), body });
      return `I changed the draft “${str(subject)}”. Nothing has been sent.`;
    },
  },
  {
    example: 'Send my draft about lunch.',
    pattern: /^send (?:the |my )?(?:newest )?draft(?: (?:about|to) (?:the )?(?<query>.+))?(?<end>)$/i,
    *plan({ query }, world) {
      const { id, subject } = yield* findDraft(query, world);
      yield* world.run('mail_draft_send', { id: str(id) });
      return `I sent the draft “${str(subject)}”.`;
    },
  },
  {
    example: 'Discard my draft about lunch.',
    pattern: /^(?:delete|discard|throw away) (?:the |my )?(?:newest )?draft(?: (?:about|to) (?:the )?(?<query>.+))?(?<end>)$/i,
    *plan({ query }, world) {
      const { id, subject } = yield* findDraft(query, world);
      yield* world.run('mail_draft_delete', { id: str(id) });
      return `I deleted the draft “${str(subject)}”.`;
    },
  },
  {
    example: 'Draft a mail to bob@example.com about lunch: Shall we meet at noon?',
    pattern:
      /^(?:draft|prepare) (?:me )?(?:an? )?(?:e-?mail |mail |message )?(?:to )?(?<to>.+?)(?: (?:about|with the subject) (?<subject>.+?))?(?: (?:that says|saying)|:) (?<body>[\s\S]+)$/i,
    *plan(said, world) {
      yield* world.run('mail_draft', yield* messageOf(said, world));
      return 'The mail is among your drafts. Nothing has been sent.';
    },
  },
  {
    example: 'Write to bob@example.com: The slides are ready.',
    pattern:
      /^(?:write|send|mail|e-?mail|tell)(?: an?)?(?: e-?mail| mail| message)?(?: to)? (?<to>.+?)(?: (?:about|with the subject) (?<subject>.+?))?(?: (?:with|and attach) the file (?<file>.+?))?(?: (?:that says|saying)|:) (?<body>[\s\S]+)$/i,
    *plan(said, world) {
      const message = yield* messageOf(said, world);
      yield* world.run('mail_send', message);
      return `I sent the mail to ${(message.to as string[]).join(', ')}.`;
    },
  },
];

/** A subject made of the first words of a text. */
export function subjectOf(body: string): string {
  return body
    .split(/\s+/, SUBJECT_WORDS)
    .join(' ')
    .replace(/[.,:;!?]+$/, '');
}

function* messageOf({ to = '', subject, file, body = '' }: Said, world: World): Plan<Data> {
  const addresses = addressesIn(to);
  const recipients = addresses.length > 0 ? addresses : [yield* addressOf(unquoted(to), world)];
  const files = file === undefined ? {} : { files: [str((yield* findFile(`file ${file}`, world)).id)] };
  return { to: recipients, subject: unquoted(subject ?? subjectOf(body)), body, ...files };
}

/** The address of a person who has written before. @throws Stopped if there is none */
function* addressOf(name: string, world: World): Plan<string> {
  const { items } = yield* world.run('mail_search', { query: `from:${/\s/.test(name) ? `"${name}"` : name}`, max: 1 });
  const [address] = listOf(items).flatMap(({ from }) => addressesIn(str(from)));
  if (address === undefined) throw new Stopped(`I found no mail from ${name}, so I don’t know the address. Name it, please.`);
  return address;
}

function* replyOf({ mail = '', body = '' }: Said, world: World): Plan<Data> {
  const { id, from } = yield* findMail(mail, world);
  return { to: addressesIn(str(from)), body, reply_to: str(id) };
}

function* findDraft(query: string | undefined, world: World): Plan<Data> {
  const { items } = yield* world.run('mail_drafts', { ...(query !== undefined && { query: unquoted(query) }), max: 1 });
  const [draft] = listOf(items);
  if (draft === undefined) throw new Stopped('I found no such draft.');
  return draft;
}
