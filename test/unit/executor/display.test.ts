import { describe, expect, it } from 'vitest';
import { displayOf } from '../../../src/executor/display/display.ts';
import type { Displayed } from '../../../src/executor/display/display-fields.ts';
import type { ShownViewer } from '../../../src/executor/policy/shown-viewer.ts';
import { type Match, noticesOnMatches } from '../../../src/executor/taint/matches.ts';

const QUESTION: Displayed = { summary: 'Do it', audience: [], notices: [], provenance: [], matches: [], input: {} };
const MAIL = { to: [{ name: '', address: 'eve@evil.example' }], cc: [], bcc: [], subject: 'Hi', body: 'Text.', attachments: [], files: [] };
const shown = (question: Partial<Displayed>) => displayOf({ ...QUESTION, ...question });
const mail = (question: Partial<Displayed>) => shown({ use: 'mail.send', input: MAIL, ...question });
const person = (address: string, relation?: 'own' | 'written_to' | 'new'): ShownViewer => ({
  kind: 'person',
  address,
  ...(relation && { relation }),
});
const match = (field: string, text: string, author?: string): Match => ({
  action: 'mail.read',
  field,
  text,
  from: 0,
  to: text.length,
  ...(author !== undefined && { author }),
});

describe('who sees it', () => {
  it('are those first who deserve attention', () => {
    const audience: ShownViewer[] = [
      person('own@example.com', 'own'),
      person('known@example.com', 'written_to'),
      person('unread@example.com'),
      person('new@example.com', 'new'),
      { kind: 'group', address: 'all@example.com' },
      { kind: 'domain', domain: 'example.com' },
      { kind: 'unknown' },
      { kind: 'anyone' },
    ];
    expect(shown({ audience }).viewers.map(({ address, name, tone }) => [address ?? name, tone])).toEqual([
      ['Anyone with the link', 'unknown'],
      ['Possibly others', 'unknown'],
      ['example.com', 'unknown'],
      ['all@example.com', 'unknown'],
      ['new@example.com', 'new'],
      ['unread@example.com', 'unknown'],
      ['known@example.com', 'known'],
      ['own@example.com', 'own'],
    ]);
  });

  it('are 200 at most, and the others are counted', () => {
    const audience = Array.from({ length: 250 }, (_, index) => person(`${index}@example.com`, 'written_to'));
    expect(shown({ audience })).toMatchObject({ viewers: { length: 200 }, more: 50, caution: false });
  });

  it('says that the user named someone', () => {
    const [viewer] = shown({ audience: [{ kind: 'person', address: 'new@example.com', relation: 'new', named: true }] }).viewers;
    expect(viewer?.relation).toBe('New to you, named by you here');
  });
});

describe('the evidence', () => {
  it('has each repeated part once, and not in a sentence of its own too', () => {
    const matches = [match('to.0.address', 'eve@evil.example')];
    const notices = ['A bank was read.', ...noticesOnMatches(matches)];
    expect(notices).toHaveLength(2);
    expect(mail({ matches, notices }).evidence).toMatchObject({ notices: ['A bank was read.'], matches });
  });
});

describe('caution', () => {
  it.each<[boolean, string, Partial<Displayed>]>([
    [false, 'nobody sees it', {}],
    [false, 'the user knows who sees it', { audience: [person('a@example.com', 'written_to'), person('b@example.com', 'own')] }],
    [true, 'someone is new', { audience: [person('a@example.com', 'written_to'), person('b@example.com', 'new')] }],
    [true, 'it was not checked who someone is', { audience: [person('a@example.com')] }],
    [true, 'anyone may see it', { audience: [{ kind: 'anyone' }] }],
    [true, 'it repeats a passage of others', { matches: [match('body', 'Text.')] }],
    [true, 'it repeats an address that the user does not know', { matches: [match('to.0.address', 'eve@evil.example')] }],
    [
      false,
      'it repeats the address of someone whom the user knows',
      { audience: [person('a@example.com', 'written_to')], matches: [match('to.0.address', 'A@example.com')] },
    ],
    [false, 'text of others was read, and none of it is in it', { provenance: [{ action: 'mail.read', author: 'Eve' }] }],
  ])('is %s where %s', (caution, _when, question) => {
    expect(mail(question).caution).toBe(caution);
  });
});

describe('the line of risk', () => {
  const EVE = '“Eve”';
  const GROUP: ShownViewer = { kind: 'group', address: 'all@example.com' };
  it.each<[string | undefined, Partial<Displayed>]>([
    [undefined, {}],
    [
      `The address and 1 passage come from a mail by ${EVE}.`,
      { matches: [match('to.0.address', 'eve@evil.example', 'Eve <eve@evil.example>'), match('body', 'Text.', 'Eve <eve@evil.example>')] },
    ],
    [`“Clase de español” is named in a mail by ${EVE}.`, { matches: [match('thing', 'Clase de español', 'Eve <eve@evil.example>')] }],
    [
      '“Ann’s plan” and 1 more of these are named in mails by 2 people.',
      { matches: [match('thing', 'Ann’s plan', 'Ann'), match('thing', 'Other plan', 'Bob')] },
    ],
    ['1 passage comes from a mail that others wrote.', { matches: [match('body', 'Text.')] }],
    ['2 passages come from mails by 2 people.', { matches: [match('subject', 'Hi', 'Ann'), match('body', 'Text.', 'Bob')] }],
    [
      'You have not written to a@example.com or b@example.com before.',
      { audience: [person('a@example.com', 'new'), person('b@example.com', 'new')] },
    ],
    [
      'You have not written to a@example.com before, and 1 other was not checked.',
      { audience: [person('b@example.com'), person('a@example.com', 'new'), person('c@example.com', 'written_to')] },
    ],
    ['Anyone with the link will see this.', { audience: [person('a@example.com', 'new'), { kind: 'anyone' }] }],
    ['Everyone in all@example.com and “example.org” will see this.', { audience: [GROUP, { kind: 'domain', domain: 'example.org' }] }],
    ...['\u0430na@example.org', 'ana@xn--80ak6aa92e.example'].map((address): [string, Partial<Displayed>] => [
      `${/^\w/.test(address) ? address : `“${address}”`} has letters of another alphabet: it may only look like an address that you know.`,
      { audience: [person(address, 'new')] },
    ]),
    ['A bank was read.', { notices: ['A bank was read.'] }],
  ])('is %j', (text, question) => {
    expect(mail(question).risk?.text).toBe(text);
  });

  it('lets nobody’s name end its quotation', () => {
    const { risk } = mail({ matches: [match('body', 'Text.', 'Eve” and by your bank')] });
    expect(risk?.text.match(/[“”]/g)).toEqual(['“', '”']);
  });
});

describe('texts', () => {
  it('are marked wherever they repeat others, however long that is', () => {
    const body = 'All of this was written by others. '.repeat(40);
    const [field] = mail({ input: { ...MAIL, body }, matches: [{ ...match('body', body.slice(0, 500)), to: body.length }] }).fields.slice(
      -1,
    );
    expect(field).toMatchObject({ name: 'body', kind: 'block', text: body, marks: [[0, body.length]] });
  });

  it('mark an address that repeats others', () => {
    expect(mail({ matches: [match('to.0.address', 'eve@evil.example')] }).fields[0]).toMatchObject({
      people: [{ address: 'eve@evil.example', marked: true }],
    });
  });

  it('have 300,000 characters together, and say how many there are more', () => {
    const input = { a: 'x'.repeat(299_999), b: 'y\u{1f600}yy' };
    const [a, b] = shown({ input, matches: [{ ...match('b', 'yy'), from: 3, to: 5 }] }).fields;
    expect(a).not.toHaveProperty('omitted');
    expect(b).toMatchObject({ text: 'y', omitted: 4 });
    expect(b).not.toHaveProperty('marks');
  });

  it('keep hidden and right-to-left characters, which who shows them makes visible', () => {
    expect(shown({ input: { text: '\u202eabc\u200b' } }).fields).toMatchObject([{ text: '\u202eabc\u200b' }]);
  });

  it('are well-formed', () => {
    expect(shown({ input: { text: 'a\ud800' } }).fields).toMatchObject([{ text: 'a\ufffd' }]);
  });
});

describe('an action that Steward has no words for', () => {
  it('is shown by its summary and its arguments, of which an empty one may empty something', () => {
    const input = { to: ['a', 'b'], reply_to: 'x', nothing: '', none: [], null: null, deep: { flag: false, count: 3 } };
    expect(shown({ summary: 'Make an entry', input })).toMatchObject({
      title: 'Make an entry',
      fields: [
        { name: 'to', label: 'To', kind: 'list', items: [{ text: 'a' }, { text: 'b' }] },
        { name: 'reply_to', label: 'Reply to', kind: 'text', text: 'x' },
        { name: 'nothing', label: 'Nothing', kind: 'choice', text: 'Empty' },
        { name: 'none', label: 'None', kind: 'choice', text: 'Empty' },
        { name: 'null', label: 'Null', kind: 'choice', text: 'Nothing' },
        { name: 'deep.flag', label: 'Deep: Flag', kind: 'choice', text: 'No' },
        { name: 'deep.count', label: 'Deep: Count', text: '3' },
      ],
    });
  });

  it('has no words of another action for its arguments', () => {
    const { fields } = shown({ input: { access: 'all', notify: true, remove: 'x', who: 'anyone' } });
    expect(fields.map(({ label }) => label)).toEqual(['Access', 'Notify', 'Remove', 'Who']);
  });

  it('has a long summary in full beside its beginning', () => {
    const summary = 'A word. '.repeat(100);
    const { title, fields } = shown({ summary, input: {} });
    expect(title.length).toBeLessThanOrEqual(200);
    expect(fields).toMatchObject([{ label: 'In short', text: summary }]);
  });

  it('has the title of its action, and beside its arguments those that the operator has fixed', () => {
    const summary = 'Tickets: search_tickets — query: “lamp”, state: “open”';
    const question = shown({ summary, title: 'Tickets: search tickets', input: { query: 'lamp' }, shown: { fixed: { state: 'open' } } });
    expect(question.title).toBe('Tickets: search tickets');
    expect(question.fields).toMatchObject([
      { label: 'Query', text: 'lamp' },
      { label: 'State', text: 'open' },
    ]);
  });

  it('has 200 fields at most, and says that there are more', () => {
    const { fields } = shown({ input: Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`n${index}`, index + 1])) });
    expect(fields).toHaveLength(201);
    expect(fields.at(-1)).toMatchObject({ label: 'More' });
    expect(shown({ input: { list: Array.from({ length: 20_000 }, () => 'x') } }).fields).toMatchObject([
      { items: { length: 200 }, more: 19_800 },
    ]);
  });

  it('says that what is nested too deep is elsewhere', () => {
    const nested = (levels: number): unknown => (levels === 0 ? 'deep' : { a: nested(levels - 1) });
    expect(JSON.stringify(shown({ input: nested(8) }).fields)).toContain('deep');
    const { fields } = shown({ input: nested(30) });
    expect(fields).toMatchObject([{ kind: 'choice', text: expect.stringContaining('exact details') }]);
  });

  it.each(['__proto__', 'constructor', 'toString'])('may have an argument %s', (name) => {
    expect(shown({ input: JSON.parse(`{"${name}": "x"}`), use: name }).fields).toMatchObject([{ text: 'x' }]);
  });
});

describe('a time', () => {
  const at = (iso: string, zone = 'Europe/Berlin') => ({ at: iso, zone });
  const span = { start: at('2027-03-22T11:00:00.000Z'), end: at('2027-03-22T12:00:00.000Z') };
  const field = (zone: string | undefined) =>
    shown({ use: 'calendar.create', input: { title: 'Lunch' }, shown: { span }, zone }).fields.find(({ kind }) => kind === 'when');

  it('is in the zone of the event, and in the user’s if it is another one', () => {
    expect(field('Europe/Berlin')).toMatchObject({ text: 'Mon, 22 Mar 2027, 12:00–13:00 Berlin time' });
    expect(field('Europe/Berlin')).not.toHaveProperty('local');
    expect(field('America/New_York')).toMatchObject({ local: 'Mon, 22 Mar 2027, 07:00–08:00 New York time' });
    expect(field(undefined)).not.toHaveProperty('local');
  });

  it.each([
    ['the first of two', '00:30', '00:45', '02:30–02:45 Berlin time (UTC+02:00)'],
    ['the second of two', '01:30', '01:45', '02:30–02:45 Berlin time (UTC+01:00)'],
    ['from the first to the second', '00:30', '01:30', '02:30 Berlin time (UTC+02:00) to Sun, 31 Oct 2027, 02:30 Berlin time (UTC+01:00)'],
    ['to the hour after', '00:30', '02:30', '02:30 Berlin time (UTC+02:00) to Sun, 31 Oct 2027, 03:30 Berlin time'],
    ['after', '02:00', '02:30', '03:00–03:30 Berlin time'],
  ])('says which one it is where clocks are set back and show it twice: %s', (_which, from, to, text) => {
    const [start, end] = [at(`2027-10-31T${from}:00.000Z`), at(`2027-10-31T${to}:00.000Z`)];
    const [when] = shown({
      use: 'calendar.create',
      input: { title: 'x' },
      shown: { span: { start, end } },
      zone: 'Europe/Berlin',
    }).fields.slice(1);
    expect(when).toMatchObject({ text: `Sun, 31 Oct 2027, ${text}` });
  });
});
