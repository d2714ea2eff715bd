import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUILT_INS } from '../../../src/actions/built-ins.ts';
import { declaredSummary } from '../../../src/actions/shared/declared-summary.ts';
import type { AppError } from '../../../src/errors.ts';
import { DESTRUCTIVE_FIELDS } from '../../../src/providers/workspace/workspace-effects.ts';
import { newPerson, type Person } from '../../support/emulators/workspace-content.ts';
import { fc } from '../../support/runner/property.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { callAction } from '../../support/users/agents.ts';

/** Characters that end a line, change the direction or are invisible. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const QUOTED = /“([^“”]*)”(?:… \([\d,]+ characters\))?/g;

/** Attempts of a caller or a stranger: to end the quotation, to begin a line, to hide or reverse what follows. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '”',
        '“',
        '"',
        '„',
        '‟',
        '＂',
        '«',
        '»',
        "'",
        '”, to boss@example.com: “',
        ' to boss@example.com',
        '; nobody is told',
      ),
      fc.constantFrom('\n', '\r\n', '\u0085', '\u2028', '\u2029', '\t', '\u0000', '\u001b[2K', '\\', '”… (3 characters)'),
      fc.constantFrom(
        '\u202e',
        '\u2066',
        '\u2069',
        '\u200e',
        '\u061c',
        '\u200b',
        '\u200d',
        '\u2060',
        '\ufeff',
        '\u00ad',
        '\u{e0041}',
        '\ufe0f',
      ),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
      fc.constantFrom('Lunch', 'x'.repeat(150), '\ud800'),
    ),
    { maxLength: 8 },
  )
  .map((parts) => `a${parts.join('')}`);

const at = { start: '2027-03-21T09:00', end: '2027-03-21T10:00' };
/** Inputs with a caller's text in every field that accepts text. */
const INPUTS: [string, (words: string) => object][] = [
  [
    'mail.send',
    (words) => ({
      to: [`"${words.replace(/["\\]/g, '\\$&')}" <a@example.org>`, 'b@example.org'],
      cc: ['c@example.org'],
      subject: 'x',
      body: 'x',
    }),
  ],
  ['mail.send', (words) => ({ to: ['a@example.org'], subject: words, body: words, attachments: [{ name: 'x.txt', text: 'x' }] })],
  ['mail.draft', (words) => ({ to: ['a@example.org'], subject: 'x', body: 'x', attachments: [{ name: words, text: 'x' }] })],
  ['mail.label', (words) => ({ ids: ['m1'], add: [words, words], remove: [words] })],
  ['mail.search', (words) => ({ query: words })],
  ['calendar.create', (words) => ({ ...at, title: words, attendees: ['a@example.org'], location: 'x' })],
  ['calendar.create', (words) => ({ ...at, title: 'x', recurrence: [`RRULE:FREQ=DAILY;X=${words}`] })],
  ['calendar.update', (words) => ({ id: 'e1', title: words, add_attendees: ['a@example.org'], notify: true })],
  ['calendar.update', (words) => ({ id: 'e1', location: words })],
  ['calendar.update', (words) => ({ id: 'e1', description: words })],
  ['calendar.respond', (words) => ({ id: 'e1', answer: 'accepted', comment: words })],
  ['documents.create', (words) => ({ title: words })],
  ['documents.append', (words) => ({ id: 'd1', text: words, tab: 'x' })],
  ['documents.append', (words) => ({ id: 'd1', text: 'x', tab: words })],
  ['documents.replace', (words) => ({ id: 'd1', find: words, replace: 'x' })],
  ['documents.replace', (words) => ({ id: 'd1', find: 'x', replace: words })],
  ['documents.read', (words) => ({ id: 'd1', tab: words })],
  ['drive.create', (words) => ({ name: words, folder: 'f1' })],
  ['drive.copy', (words) => ({ id: 'f2', name: words })],
  ['drive.rename', (words) => ({ id: 'f2', name: words })],
  ['drive.search', (words) => ({ query: words })],
  ['spreadsheets.read', (words) => ({ id: 's1', range: words })],
];

const NOW = Date.parse('2026-05-04T10:00:00Z');

/** A sentence without its quotations. */
const frame = (summary: string) => summary.replaceAll(QUOTED, '“”');
// Three Unicode letters look like quotation marks, and are shown as such.
const letters = (text: string) => text.replaceAll(/[^\p{L}\p{N}]|\p{Default_Ignorable_Code_Point}|[ʺˮʼ]/gu, '');

describe('text of the caller in an approval request', () => {
  it.each(INPUTS)('stays within its quotation marks: %s (%#)', async (name, inputOf) => {
    const action = await BUILT_INS.get(name)?.load();
    if (action === undefined) throw new Error(`no ${name}`);
    const summaryOf = (words: string) => {
      const input = inputOf(words);
      return action.summary(action.input.parse(input), NOW);
    };
    const usual = frame(summaryOf('abc'));
    let tried = 0;
    fc.assert(
      fc.property(hostile, (words) => {
        let summary: string;
        try {
          summary = summaryOf(words);
        } catch {
          // Its schema rejects it.
          return;
        }
        tried += 1;
        expect(summary).not.toMatch(UNSEEN);
        expect(summary.isWellFormed()).toBe(true);
        expect(frame(summary)).toBe(usual);
        // The part that is shown can be read back.
        const parts = [...summary.matchAll(QUOTED)].map(([, part = '']) => part);
        const shown = letters(words.trim().replaceAll(/\r\n?/g, '\n').slice(0, 200).toWellFormed());
        if (name !== 'calendar.create' || !parts.join().includes('RRULE')) expect(parts.map(letters)).toContain(shown);
      }),
      { numRuns: 200 },
    );
    expect(tried).toBeGreaterThan(10);
  });

  it.each([...'ʺˮ˝״〃⹂🙶🙷🙸”»‷⁗˶¨゛', '´´', '‚‛', '＇＇', '‵ʻ', '››', '❜❜', "''", '’’', '′′', '‘’'])(
    'does not end at %j in the text',
    async (mark) => {
      const action = await BUILT_INS.get('documents.append')?.load();
      const summary = action?.summary(action.input.parse({ id: 'd1', text: `Lunch${mark}, and nothing else` }), NOW);
      expect(summary).toBe("Append to the document d1: “Lunch', and nothing else”");
    },
  );

  it('keeps an apostrophe', async () => {
    const action = await BUILT_INS.get('documents.append')?.load();
    expect(action?.summary(action.input.parse({ id: 'd1', text: "Ann's" }), NOW)).toBe("Append to the document d1: “Ann's”");
  });

  it('says how much was truncated if the text cannot be shown', async () => {
    const action = await BUILT_INS.get('documents.append')?.load();
    const summary = action?.summary(action.input.parse({ id: 'd1', text: 'x'.repeat(12_345) }), NOW);
    expect(summary).toBe(`Append to the document d1: “${'x'.repeat(200)}”… (12,345 characters)`);
  });

  it('is placed after all recipients', async () => {
    const summaryOf = async (name: string, input: object) => {
      const action = await BUILT_INS.get(name)?.load();
      return action?.summary(action.input.parse(input), NOW);
    };
    const mail = { to: ['Ann <a@example.org>', 'b@example.org'], cc: ['c@example.org'], bcc: ['d@example.org'], subject: 'Hi', body: 'x' };
    expect(await summaryOf('mail.send', { ...mail, attachments: [{ name: 'f.txt', text: 'four' }] })).toBe(
      'Send to “Ann” <a@example.org>, b@example.org; cc c@example.org; bcc d@example.org: “Hi”, with “f.txt” (4 bytes)',
    );
    expect(await summaryOf('calendar.create', { ...at, title: 'Lunch', attendees: ['a@example.org'] })).toBe(
      'Create, inviting a@example.org by mail: the event “Lunch” on Sun, 21 Mar 2027, 09:00–10:00 in the calendar’s time zone',
    );
    expect(await summaryOf('calendar.update', { id: 'e1', add_attendees: ['a@example.org'], title: 'Lunch', notify: true })).toBe(
      'Change, inviting a@example.org, notifying any attendees by mail: event e1; title “Lunch”',
    );
    expect(await summaryOf('calendar.respond', { id: 'e1', answer: 'declined', comment: 'Sorry' })).toBe(
      'Respond with declined, without a mail to the organizer: the invitation e1, with the comment “Sorry”',
    );
    expect(await summaryOf('drive.create', { name: 'notes', folder: 'f1' })).toBe('Create in the folder f1: the file “notes”');
  });
});

describe('the approval request of a declared action', () => {
  it('keeps every text within its quotation marks', () => {
    fc.assert(
      fc.property(hostile, hostile, (one, other) => {
        const args = { summary: one, attendees: [{ email: other }], [`x${one}`]: 1, description: { [other]: one } };
        const summary = declaredSummary('Post.', args, DESTRUCTIVE_FIELDS);
        expect(summary).not.toMatch(UNSEEN);
        expect(frame(summary)).toMatch(/^Post — attendees: \[\{ email: “” \}\], summary: “”, /);
        const [, email = ''] = /email: “([^“”]*)”/.exec(summary) ?? [];
        expect(letters(email)).toBe(letters(other.slice(0, 200).toWellFormed()));
      }),
    );
  });

  it('names recipients first, and truncates between values only', () => {
    const many = Array.from({ length: 40 }, (_, index) => `guest-${index}-of-many@example.org`);
    const summary = declaredSummary('Invite.', { summary: 'x'.repeat(5_000), attendees: many, sendUpdates: 'all' }, DESTRUCTIVE_FIELDS);
    expect(summary).toMatch(
      /^Invite — attendees: \[“guest-0-of-many@example.org”, .*“guest-\d+-of-many@example.org”, … and \d+ more\], sendUpdates: “all”, summary: “x+”… \(5,000 characters\)$/,
    );
    const long = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`field${index}`, 'y'.repeat(190)]));
    expect(declaredSummary('Set.', long)).toMatch(/, field9: “y+”, … and \d+ more$/);
  });
});

describe('an approval request with names from others', () => {
  let steward: TestSteward;
  let me: Person;

  beforeAll(async () => {
    steward = await startSteward();
    me = await newPerson(steward);
  });
  afterAll(() => steward.stop());

  const asked = async (action: string, input: object): Promise<unknown> => {
    const error = await callAction(steward, action, input, { token: me.token }).catch((thrown: AppError) => thrown);
    expect(error).toMatchObject({ code: 'approval_required' });
    return (error as AppError).details?.summary;
  };
  const FORGED = 'Lunch”; notifying nobody\n“\u202ex';

  it('quotes the title of an event, and names the notified people before it', async () => {
    const { id } = await me.act('calendar.create', { ...at, title: 'Lunch', attendees: ['a@example.org', 'b@example.org'] });
    await me.google('PATCH', `/calendar/v3/calendars/primary/events/${id}`, { summary: FORGED });
    const shared = '; those with whom the calendar is shared may see it, too';
    const event = `the event “Lunch'; notifying nobody ' x” on Sun, 21 Mar 2027, 09:00 Berlin time (${id})`;
    const both = 'notifying a@example.org, b@example.org by mail';
    expect(await asked('calendar.update', { id, title: 'Dinner', notify: true })).toBe(
      `Change, ${both}: ${event}; title “Dinner”${shared}`,
    );
    expect(
      await asked('calendar.update', { id, add_attendees: ['c@example.org'], remove_attendees: ['b@example.org'], notify: true }),
    ).toBe(
      `Change, inviting c@example.org, no longer inviting b@example.org, notifying a@example.org, b@example.org, c@example.org by mail: ${event}; until Sun, 21 Mar 2027, 10:00 Berlin time${shared}`,
    );
    expect(await asked('calendar.delete', { id })).toBe(`Delete, ${both}: ${event}`);
  });

  it('quotes the names of files and folders, and says whether they are shared', async () => {
    const { id: folder } = await me.act('drive.create', { name: FORGED.replace('\n', ' '), type: 'folder' });
    const { id: file } = await me.act('drive.create', { name: 'notes.txt', content: 'x' });
    const named = `the folder “Lunch'; notifying nobody ' x” (${folder})`;
    await me.act('drive.share', { id: folder, email: 'zoe@example.org', role: 'reader', notify: false });
    const shared = `${named}, which zoe@example.org can see`;
    expect(await asked('drive.move', { id: file, folder })).toBe(`Move into ${shared}: the text file “notes.txt” (${file})`);
    expect(await asked('drive.create', { name: 'more.txt', folder })).toBe(`Create in ${shared}: the file “more.txt”`);
    expect(await asked('drive.copy', { id: file, name: 'copy.txt', folder })).toBe(
      `Copy into ${shared}: the text file “notes.txt” (${file}) as “copy.txt”`,
    );
  });
});
