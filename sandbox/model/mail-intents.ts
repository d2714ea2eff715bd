import { mailLine, mailText } from './answers.ts';
import type { Intent } from './intent.ts';
import { findFile, findMail, findMails } from './lookups.ts';
import { mailQuery } from './mail-query.ts';
import { obstacleText, type Plan, Stopped, type World } from './plans.ts';
import { numberIn } from './said-dates.ts';
import { unquoted } from './said-text.ts';
import { type Data, listOf, str } from './tool-results.ts';

/** Mails that are read at once. */
const MOST_READ = 3;

/** Reading and organizing mail. */
export const mailIntents: readonly Intent[] = [
  {
    example: 'List my labels.',
    pattern: /^(?<verb>list|show|which|what)\b.*\b(?:labels|mail folders)\b/i,
    *plan(_said, world) {
      const names = listOf((yield* world.run('mail_labels', {})).items).map(({ name }) => str(name));
      return `Your mailbox has ${names.length} labels: ${names.join(', ')}.`;
    },
  },
  {
    example: 'List my drafts.',
    pattern: /^(?:list|show|find|read)(?: me)?(?: all)? (?:my|the) drafts(?: (?:about|to) (?<query>.+))?$/i,
    *plan({ query }, world) {
      const drafts = listOf((yield* world.run('mail_drafts', query === undefined ? {} : { query })).items);
      if (drafts.length === 0) return 'There are no drafts.';
      return [`${drafts.length} draft(s):`, ...drafts.map(({ subject, to }) => `- “${str(subject)}” to ${str(to) || 'nobody yet'}`)].join(
        '\n',
      );
    },
  },
  {
    example: 'Save the attachment of the mail about the budget in my drive.',
    pattern: /^save (?:the )?attachment (?:of|in|from) (?<mail>.+?)(?: (?:in|to|into) (?:my |the )?(?:drive|(?<folder>folder .+)))?$/i,
    *plan({ mail = '', folder }, world) {
      const at = yield* findAttachment(mail, world);
      const into = folder === undefined ? {} : { folder: str((yield* findFile(folder, world)).id) };
      const { name } = yield* world.run('mail_save_attachment', { ...at, ...into });
      return `I saved the attachment as the file “${str(name)}”.`;
    },
  },
  {
    example: 'Read the attachment of the mail about the budget.',
    pattern: /^(?:read|open|show)(?: me)? (?:the )?attachments? (?:of|in|from) (?<mail>.+)$/i,
    *plan({ mail = '' }, world) {
      const { name, text } = yield* world.run('mail_attachment', yield* findAttachment(mail, world));
      return `The attachment “${str(name)}”:\n\n${str(text) || 'It is not text.'}`;
    },
  },
  labelling('Archive the mail from the Bookshop.', /^archive (?<mail>.+)$/i, () => ({ remove: ['INBOX'] }), 'archived'),
  labelling(
    'Mark the mail from the Library as read.',
    /^mark (?<mail>.+) as (?<state>un)?read$/i,
    ({ state }) => (state === undefined ? { remove: ['UNREAD'] } : { add: ['UNREAD'] }),
    'marked',
  ),
  labelling('Star the mail from Sarah.', /^star (?<mail>.+)$/i, () => ({ add: ['STARRED'] }), 'starred'),
  labelling(
    'Remove the label Travel from the mail about Prague.',
    /^(?:remove|take) the label (?<label>"[^"]+"|“[^”]+”|\S+) (?:from|off) (?<mail>.+)$/i,
    ({ label = '' }) => ({ remove: [unquoted(label)] }),
    'changed',
  ),
  labelling(
    'Label the mail about the ticket with Travel.',
    /^label (?<mail>.+) (?:with|as) (?<label>.+)$/i,
    ({ label = '' }) => ({ add: [unquoted(label)] }),
    'labelled',
  ),
  {
    example: 'Move the mail from the Gym to the trash.',
    pattern: /^(?:trash|delete|remove|move) (?<mail>.*\b(?:(?:e-?)?mails?|messages?)\b.*?)(?: (?:in)?to the trash)?$/i,
    *plan({ mail = '' }, world) {
      const { id, subject } = yield* findMail(mail, world);
      yield* world.run('mail_trash', { ids: [str(id)] });
      return `I moved the mail “${str(subject)}” to the trash.`;
    },
  },
  {
    example: 'Restore the mail from the Print Shop.',
    pattern: /^(?:restore|untrash|undelete|take) (?<mail>.*\b(?:(?:e-?)?mails?|messages?)\b.*?)(?: out of the trash)?$/i,
    *plan({ mail = '' }, world) {
      const { id, subject } = yield* findMail(`${mail} in trash`, world);
      yield* world.run('mail_untrash', { ids: [str(id)], inbox: [str(id)] });
      return `I took the mail “${str(subject)}” out of the trash.`;
    },
  },
  {
    example: 'Read my newest mails.',
    pattern:
      /^(?:read|open|summari[sz]e|check|what (?:does|do|is in))(?: me)?(?: out)? (?<mail>.*\b(?:(?:e-?)?mails?|messages?|inbox)\b.*?)(?: say)?$/i,
    *plan({ mail = '' }, world) {
      const isMany = /\b(?:(?:e-?)?mails|messages|inbox)\b/i.test(mail);
      const count = isMany ? Math.min(numberIn(mail) ?? MOST_READ, 10) : 1;
      return yield* readMails(yield* findMails(mail, world, count), world);
    },
  },
  {
    example: 'Find the newest mail from Ana.',
    pattern:
      /^(?:find|search|show|list|look for|get|fetch|are there|is there|do i have|have i got|any)\b(?<mail>.*\b(?:(?:e-?)?mails?|messages?|inbox)\b.*)$/i,
    *plan({ mail = '' }, world) {
      const isOne = /\b(?:newest|latest|last|most recent) (?:unread )?(?:(?:e-?)?mail|message)\b/i.test(mail);
      const { items } = yield* world.run('mail_search', { query: mailQuery(mail), max: isOne ? 1 : (numberIn(mail) ?? 5) });
      const found = listOf(items);
      if (found.length === 0) return 'I found no such mail.';
      return [
        found.length === 1 ? 'I found this mail:' : `I found ${found.length} mails, the newest first:`,
        ...found.map((mail) => mailLine(mail, world.words)),
      ].join('\n');
    },
  },
];

/** Reads mails at once. @param mails as a search finds them */
export function* readMails(mails: readonly Data[], world: World): Plan {
  if (mails.length === 0) return 'I found no such mail.';
  const results = yield* world.attempt(mails.map(({ id }) => world.call('mail_read', { message: str(id) })));
  const texts = results.flatMap((result) =>
    result.ok ? listOf(result.data.messages).map((mail) => mailText(mail, world.words)) : [obstacleText(result)],
  );
  return texts.join('\n\n');
}

function labelling(example: string, pattern: RegExp, change: (said: Record<string, string | undefined>) => Data, verb: string): Intent {
  return {
    example,
    pattern,
    *plan(said, world) {
      const { id, subject } = yield* findMail(said.mail ?? '', world);
      yield* world.run('mail_label', { ids: [str(id)], ...change(said) });
      return `I have ${verb} the mail “${str(subject)}”.`;
    },
  };
}

/** The first attachment of a mail. @throws Stopped if there is none */
function* findAttachment(phrase: string, world: World): Plan<{ message: string; attachment: string }> {
  const { id } = yield* findMail(/\battach/i.test(phrase) ? phrase : `${phrase} with attachments`, world);
  const { messages } = yield* world.run('mail_read', { message: str(id) });
  const [attachment] = listOf(messages).flatMap((message) => listOf(message.attachments));
  if (attachment === undefined) throw new Stopped('That mail has no attachment.');
  return { message: str(id), attachment: str(attachment.id) };
}
