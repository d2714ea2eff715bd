import { mailQuery } from './mail-query.ts';
import { type Plan, Stopped, type World } from './plans.ts';
import { daysIn } from './said-dates.ts';
import { unquoted } from './said-text.ts';
import { type Data, listOf, str } from './tool-results.ts';

const MAIL_TOOLS = ['mail_search', 'mail_read', 'mail_send'];
const EVENT_TOOLS = ['calendar_list', 'calendar_get', 'calendar_create', 'calendar_update', 'calendar_respond', 'calendar_restore'];
const FILE_TOOLS = [
  ...['drive_search', 'drive_info', 'drive_read', 'drive_create', 'drive_copy', 'drive_move', 'drive_rename', 'drive_trash'],
  ...['drive_untrash', 'drive_share', 'documents_read', 'documents_create', 'mail_save_attachment'],
];
const KINDS = { mail: MAIL_TOOLS, event: EVENT_TOOLS, file: FILE_TOOLS } as const;

export type Kind = keyof typeof KINDS;

const PRONOUN =
  /^(?:it|this|that|them|(?:the|this|that) (?:(?<rank>first|second|third|last) )?(?:one|mail|e-mail|message|event|meeting|invitation|file|document|folder|spreadsheet|presentation))$/i;
const RANKS = ['first', 'second', 'third'];
const FILE_NOUN =
  /^(?:(?:the|my|our|a|this) )?(?:(?:files?|(?<type>documents?|docs?|spreadsheets?|sheets?|tables?|presentations?|slides?|decks?|folders?|pdfs?))(?: |$))?(?:called |named |of )?(?<name>.*)$/i;
const TYPES: readonly (readonly [RegExp, string])[] = [
  [/^doc/i, 'document'],
  [/^(?:spread|sheet|table)/i, 'spreadsheet'],
  [/^(?:presentation|slide|deck)/i, 'presentation'],
  [/^folder/i, 'folder'],
  [/^pdf/i, 'pdf'],
];
const EVENT_NOUN =
  /^(?:(?:the|my|our|an?) )?(?:(?:event|meeting|appointment|invitation)s? )?(?:called |named |about |to |with the title )?(?<name>.*)$/i;
/** How far ahead an event is looked for, if no day is named. */
const AHEAD_DAYS = 60;

/** Whether a phrase refers to what was found before. */
export function isPronoun(phrase: string): boolean {
  return PRONOUN.test(phrase.trim());
}

/** What a pronoun refers to: an item of the newest result with items of such a kind. */
export function referredTo(phrase: string, world: World, kinds: readonly Kind[]): { kind: Kind; item: Data } | undefined {
  const rank = PRONOUN.exec(phrase.trim())?.groups?.rank?.toLowerCase();
  for (const { tool, data } of world.seen.toReversed()) {
    const kind = kinds.find((one) => (KINDS[one] as readonly string[]).includes(tool));
    const items = kind === undefined ? [] : itemsOf(data);
    const item = rank === 'last' ? items.at(-1) : items[Math.max(RANKS.indexOf(rank ?? ''), 0)];
    if (kind !== undefined && item !== undefined) return { kind, item };
  }
  return undefined;
}

/** The mail that a phrase describes: "the newest mail from Ana", or "it". @throws Stopped if there is none */
export function* findMail(phrase: string, world: World): Plan<Data> {
  const [mail] = yield* findMails(phrase, world, 1);
  if (mail === undefined) throw new Stopped(`I found no mail for “${phrase}”.`);
  // Of a mail that started a run, no more is known than its id.
  if (mail.from !== undefined) return mail;
  return listOf((yield* world.run('mail_read', { message: str(mail.id) })).messages).at(-1) ?? mail;
}

/** The mails that a phrase describes, the newest first. @throws Stopped if a pronoun refers to nothing */
export function* findMails(phrase: string, world: World, max: number): Plan<Data[]> {
  if (isPronoun(phrase)) return [referred(phrase, world, 'mail')];
  return listOf((yield* world.run('mail_search', { query: mailQuery(phrase), max })).items);
}

/** The event that a phrase describes, of those in the next weeks. @throws Stopped if there is none */
export function* findEvent(phrase: string, world: World): Plan<Data> {
  if (isPronoun(phrase)) {
    const known = referred(phrase, world, 'event');
    return known.start === undefined ? yield* world.run('calendar_get', { id: str(known.id) }) : known;
  }
  const name = unquoted(EVENT_NOUN.exec(phrase)?.groups?.name ?? phrase);
  const today = new Date(world.now).toISOString().slice(0, 10);
  const end = new Date(world.now + AHEAD_DAYS * 24 * 3_600_000).toISOString().slice(0, 10);
  const days = daysIn(name, world.now) ?? { from: today, to: end };
  const query = withoutDay(name);
  const items = listOf((yield* world.run('calendar_list', { ...days, query })).items);
  // The words may be in the description of another event.
  const event = items.find(({ title }) => str(title).toLowerCase().includes(query.toLowerCase())) ?? items[0];
  if (event === undefined) throw new Stopped(`I found no event “${name}”.`);
  return event;
}

/** The file that a phrase describes: "the document Offsite plan", or "it". @throws Stopped if there is none */
export function* findFile(phrase: string, world: World, type?: string): Plan<Data> {
  if (isPronoun(phrase)) {
    const known = referred(phrase, world, 'file');
    return known.name === undefined ? yield* world.run('drive_info', { id: str(known.id) }) : known;
  }
  const { name, input } = fileQuery(phrase, type);
  const items = listOf((yield* world.run('drive_search', { ...input, max: 5 })).items);
  const file = items.find((item) => str(item.name).toLowerCase() === name.toLowerCase()) ?? items[0];
  if (file === undefined) throw new Stopped(`I found no file “${name}”.`);
  return file;
}

/** Arguments that search for the file of a phrase. @param type if the phrase names none */
export function fileQuery(phrase: string, type?: string): { name: string; input: Data } {
  const groups = FILE_NOUN.exec(phrase.trim())?.groups;
  const named = TYPES.find(([pattern]) => pattern.test(groups?.type ?? ''))?.[1] ?? type;
  const name = unquoted(groups?.name ?? phrase);
  return { name, input: { ...(name !== '' && { query: name }), ...(named !== undefined && { type: named }) } };
}

function referred(phrase: string, world: World, kind: Kind): Data {
  const found = referredTo(phrase, world, [kind]);
  if (found === undefined) throw new Stopped(`I don’t know which ${kind} “${phrase}” is: name it, or let me find it first.`);
  return found.item;
}

function itemsOf(data: Data): Data[] {
  const [items, messages] = [listOf(data.items), listOf(data.messages)];
  if (items.length > 0) return items;
  if (messages.length > 0) return messages.toReversed();
  return str(data.id) === '' ? [] : [data];
}

function withoutDay(name: string): string {
  return name
    .replace(
      /\b(?:on |of )?(?:next )?(?:to(?:day|morrow)|monday|tuesday|wednesday|thursday|friday|saturday|sunday|\d{4}-\d{2}-\d{2})\b/gi,
      '',
    )
    .trim();
}
