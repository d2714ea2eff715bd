import {
  ALL,
  ALL_ACCOUNTS,
  FIRST_TAB,
  GROUPS,
  hours,
  KINDS,
  READ_LABELS as LABELS,
  MOST,
  minutes,
  PARTS,
  slides,
  unnamed,
  weekdays,
} from '../../../public/language/en/reads.js';
import { isKnownZone, zoneWords } from '../../../public/language/zones.js';
import type { Shown } from '../../actions/shared/shown.ts';
import type { DisplayField } from './display-fields.ts';
import type { FieldWriter } from './field-writer.ts';
import { shortEventFields } from './shown-events.ts';

/** What a question on a read shows of one or more arguments: nothing of those that change nothing. */
type Part = (input: Record<string, unknown>, shown: Shown, writer: FieldWriter) => DisplayField[];

/** What an argument names by its id. */
const item =
  (name: string, label: string): Part =>
  ({ [name]: given }, { items = {} }, writer) => {
    if (given === undefined) return [];
    const named = items[name] ?? [];
    const count = Array.isArray(given) ? given.length : 1;
    return named.length > 0 ? writer.files(name, label, named, count) : writer.choice(name, label, unnamed(count));
  };

const words =
  (all: string): Part =>
  ({ query }, _shown, writer) =>
    query ? writer.text('query', LABELS.words, query) : writer.choice('query', LABELS.words, all);

const most =
  (counted: (count: number) => string): Part =>
  ({ max }, _shown, writer) =>
    typeof max === 'number' ? writer.choice('max', LABELS.most, counted(max)) : [];

/** Where a further part begins: the beginning is not said. */
const further =
  (name: 'page' | 'offset' | 'from'): Part =>
  ({ [name]: given }, _shown, writer) =>
    given === undefined || given === 0 ? [] : writer.choice(name, LABELS.part, PARTS.next);

/** As it was resolved; where that could not be done, as it was given. */
const range: Part = ({ from, to, zone }, { span }, writer) =>
  span === undefined
    ? [
        ...writer.text('from', LABELS.from, from),
        ...writer.text('to', LABELS.to, to),
        ...(typeof zone === 'string' ? writer.choice('zone', LABELS.zone, isKnownZone(zone) ? zoneWords(zone, undefined) : zone) : []),
      ]
    : writer.when('from', LABELS.when, span);

const accounts: Part = (input, shown, writer) =>
  input.account_ids === undefined
    ? writer.choice('account_ids', LABELS.accounts, ALL_ACCOUNTS)
    : item('account_ids', LABELS.accounts)(input, shown, writer);

const hoursOfDay: Part = ({ day_start: from = '00:00', day_end: to = '24:00' }, _shown, writer) =>
  from === '00:00' && to === '24:00' ? [] : writer.choice('day_start', LABELS.hours, hours(String(from), String(to)));

const daysOfWeek: Part = ({ weekdays: days }, _shown, writer) =>
  Array.isArray(days) ? writer.choice('weekdays', LABELS.weekdays, weekdays(days)) : [];

const cells: Part = ({ range: one, ranges }, _shown, writer) => {
  const all = one === undefined ? ((ranges ?? []) as unknown[]) : [one];
  if (all.length === 0) return writer.choice('range', LABELS.range, FIRST_TAB);
  const path = (index: number) => (one === undefined ? `ranges.${index}` : 'range');
  return writer.list(
    'range',
    LABELS.range,
    all.map((text, index) => writer.passage(String(text), path(index))),
  );
};

const chosenSlides: Part = ({ slides: numbers, from = 1 }, _shown, writer) => [
  ...(Array.isArray(numbers) ? writer.choice('slides', LABELS.slides, slides(numbers)) : []),
  ...(from === 1 ? [] : writer.choice('from', LABELS.part, PARTS.fromSlide(Number(from)))),
];

const event: Part = (input, shown, writer) =>
  shown.event === undefined ? item('id', LABELS.event)(input, shown, writer) : shortEventFields(shown.event, writer);

const choice =
  (name: string, label: string, texts: Readonly<Record<string, string>>): Part =>
  ({ [name]: given }, _shown, writer) =>
    given === undefined ? [] : writer.choice(name, label, texts[String(given)] ?? String(given));

const position: Part = ({ cursor }, _shown, writer) =>
  writer.choice('cursor', LABELS.part, cursor === undefined ? PARTS.new : cursor === '' ? PARTS.beginning : PARTS.next);

const people: Part = ({ people: given }, _shown, writer) => writer.people('people', LABELS.people, given as string[]);
const slot: Part = ({ minutes: length }, _shown, writer) =>
  typeof length === 'number' ? writer.choice('minutes', LABELS.length, minutes(length)) : [];
const tab: Part = ({ tab: given }, _shown, writer) => writer.text('tab', LABELS.tab, given);
/** Said by the title. */
const live: Part = () => [];

/** Every built-in action that only reads, with every argument. */
const PARTS_OF: Readonly<Record<string, readonly Part[]>> = {
  'mail.search': [words(ALL.mails), most(MOST.mails), further('page')],
  'mail.read': [item('thread', LABELS.thread), item('message', LABELS.mail), further('offset')],
  'mail.attachment': [item('attachment', LABELS.attachment), item('message', LABELS.mail), further('offset')],
  'mail.drafts': [words(ALL.drafts), most(MOST.drafts), further('page')],
  'mail.labels': [],
  'calendar.list': [words(ALL.events), range, most(MOST.events), further('page')],
  'calendar.get': [event],
  'calendar.free': [range, slot, hoursOfDay, daysOfWeek],
  'calendar.busy': [people, range],
  'documents.read': [item('id', LABELS.document), tab, further('offset')],
  'drive.search': [words(ALL.files), choice('type', LABELS.kind, KINDS), item('folder', LABELS.folder), most(MOST.files), further('page')],
  'drive.info': [item('id', LABELS.file)],
  'drive.read': [item('id', LABELS.file), further('offset')],
  'drive.permissions': [item('id', LABELS.file), further('page')],
  'spreadsheets.info': [item('id', LABELS.spreadsheet), further('from')],
  'spreadsheets.read': [item('id', LABELS.spreadsheet), cells, most(MOST.rows), further('offset')],
  'presentations.read': [item('id', LABELS.presentation), chosenSlides, further('offset')],
  'bank.balances': [accounts, live, further('from')],
  'bank.transactions': [accounts, range, most(MOST.transactions), further('page')],
  'bank.spending': [accounts, range, choice('by', LABELS.group, GROUPS), most(MOST.sums)],
  'bank.changes': [position, most(MOST.changes)],
  'bank.numbers': [accounts, further('from')],
};

/** What is read, by its name. */
export const READS: Readonly<Record<string, Part>> = Object.fromEntries(
  Object.entries(PARTS_OF).map(([use, parts]) => [use, (...about: Parameters<Part>) => parts.flatMap((part) => part(...about))]),
);
