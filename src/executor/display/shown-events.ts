import { LABELS, NOTIFY, READS, RESPONSES, resets, SHARING, YES } from '../../../public/language/en/approvals.js';
import { ruleWords } from '../../../public/language/en/recurrence.js';
import type { Shown, ShownEvent, ShownText } from '../../actions/shared/shown.ts';
import type { DisplayField } from './display-fields.ts';
import type { FieldWriter } from './field-writer.ts';

/** The arguments of an event, as far as the display knows them: the action has checked them. */
interface EventInput {
  title?: string;
  description?: string;
  location?: string;
  attendees?: string[];
  add_attendees?: string[];
  remove_attendees?: string[];
  recurrence?: string[];
  meeting?: boolean;
  notify?: boolean;
  comment?: string;
  answer?: keyof typeof RESPONSES;
}

/** An event as an event; of a change what goes and what comes. */
export function eventFields(given: Record<string, unknown>, shown: Shown, writer: FieldWriter, use: string): DisplayField[] {
  const input = given as EventInput;
  if (use === 'calendar.create') return createdFields(input, shown, writer);
  if (use === 'calendar.update') return changedFields(input, shown, writer);
  const { event } = shown;
  return [
    ...(event === undefined ? [] : presentFields(event, writer)),
    ...(input.answer === undefined ? [] : writer.choice('answer', LABELS.answer, RESPONSES[input.answer])),
    ...writer.text('comment', LABELS.comment, input.comment),
    ...readFields('stays', shown.reads, writer),
    ...notifyField(input, shown, writer, use),
    ...sharingField(shown, writer),
  ];
}

function createdFields(input: EventInput, shown: Shown, writer: FieldWriter): DisplayField[] {
  const { title, location, description, attendees = [], meeting, notify } = input;
  return [
    ...writer.text('title', LABELS.title, title),
    ...writer.when('start', LABELS.when, shown.span),
    ...rules(input.recurrence, writer),
    ...writer.people('attendees', LABELS.guests, attendees),
    ...writer.text('location', LABELS.place, location),
    ...writer.text('description', LABELS.description, description),
    ...(meeting ? writer.choice('meeting', LABELS.meeting, YES) : []),
    ...(attendees.length > 0 ? writer.choice('notify', LABELS.notify, notify ? NOTIFY.mailed : NOTIFY.silent) : []),
    ...sharingField(shown, writer),
  ];
}

function changedFields(input: EventInput, shown: Shown, writer: FieldWriter): DisplayField[] {
  const { title, location, description, add_attendees: added, remove_attendees: removed } = input;
  const { event } = shown;
  return [
    ...(title === undefined
      ? writer.text('event', LABELS.event, event?.title, undefined)
      : writer.change('title', LABELS.title, event?.title, title)),
    ...whenFields(shown, writer),
    ...changedRules(input.recurrence, event?.recurrence, writer),
    ...writer.people('add_attendees', LABELS.invited, added),
    ...writer.people('remove_attendees', LABELS.uninvited, removed),
    ...writer.people('guests', added || removed ? LABELS.guestsBefore : LABELS.guests, event?.guests, undefined),
    ...writer.change('location', LABELS.place, event?.location, location),
    ...writer.change('description', LABELS.description, event?.description, description),
    ...(shown.resets ? writer.choice('resets', LABELS.resets, resets(shown.resets)) : []),
    ...readFields('reads', shown.reads, writer),
    ...notifyField(input, shown, writer, 'calendar.update'),
    ...sharingField(shown, writer),
  ];
}

/** When it is; where that changes, from when to when. */
function whenFields({ event, span }: Shown, writer: FieldWriter): DisplayField[] {
  const [before] = writer.when('start', LABELS.when, event);
  const [after] = writer.when('start', LABELS.when, span);
  if (before?.kind !== 'when' || after?.kind !== 'when' || before.text === after.text) return before === undefined ? [] : [before];
  const words = ({ text, local }: { text: string; local?: string }) => (local === undefined ? text : `${text}; ${local}`);
  return [{ name: 'start', label: LABELS.when, kind: 'change', before: { text: words(before) }, after: { text: words(after) } }];
}

/** Which event it is. */
export function shortEventFields(event: ShownEvent, writer: FieldWriter): DisplayField[] {
  return [
    ...writer.files('id', LABELS.event, [{ name: event.title, link: event.link }]),
    ...writer.when('start', LABELS.when, event),
    ...rules(event.recurrence, writer),
  ];
}

function presentFields(event: ShownEvent, writer: FieldWriter): DisplayField[] {
  return [
    ...shortEventFields(event, writer),
    ...writer.people('guests', LABELS.guests, event.guests, undefined),
    ...(event.organizer === undefined ? [] : writer.people('organizer', LABELS.organizer, [event.organizer], undefined)),
    ...writer.text('location', LABELS.place, event.location, undefined),
    ...writer.text('description', LABELS.description, event.description, undefined),
  ];
}

/** What the mail to the guests comes to, in words: nothing where there are none. */
function notifyField({ notify = false }: EventInput, { event }: Shown, writer: FieldWriter, use: string): DisplayField[] {
  if (use === 'calendar.respond') return writer.choice('notify', LABELS.notify, notify ? NOTIFY.organizerMailed : NOTIFY.organizerSilent);
  if (event === undefined) return writer.choice('notify', LABELS.notify, notify ? NOTIFY.mailed : NOTIFY.silent);
  const isAlone = event.guests.length === 0 && event.hasMoreGuests !== true && use !== 'calendar.update';
  if (isAlone) return notify ? writer.choice('notify', LABELS.notify, NOTIFY.nobody) : [];
  return writer.choice('notify', LABELS.notify, notify ? NOTIFY.mailed : NOTIFY.silent);
}

function sharingField({ isPrivate }: Shown, writer: FieldWriter): DisplayField[] {
  return isPrivate === undefined ? [] : writer.choice('sharing', LABELS.sharing, isPrivate ? SHARING.private : SHARING.shared);
}

function readFields(name: 'reads' | 'stays', texts: readonly ShownText[] = [], writer: FieldWriter): DisplayField[] {
  const items = texts.map(({ what, who = '', text }) => writer.passage(`${READS[what](who)}: ${text}`, undefined));
  return writer.list(name, LABELS[name], items);
}

/** In words, where there are some for it. */
function rules(lines: readonly string[] = [], writer: FieldWriter): DisplayField[] {
  return writer.list(
    'recurrence',
    LABELS.repeats,
    lines.map((line) => writer.passage(ruleWords(line), undefined)),
  );
}

/** The rules before are the event's own. */
function changedRules(given: readonly string[] | undefined, before: readonly string[] = [], writer: FieldWriter): DisplayField[] {
  if (given === undefined) return [];
  const words = (lines: readonly string[]) => lines.map(ruleWords).join('\n');
  return writer.change('recurrence', LABELS.repeats, words(before), words(given), undefined);
}
