import { Ajv } from 'ajv';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { bank, call } from '../../support/inputs/declared-file.ts';
import { problemsOf } from '../../support/inputs/integrations.ts';

const LIST = 'drive.files.list';
const EVENT = 'calendar.events.insert';

/** One property q, used as drive's q. */
function property(schema: string): string {
  return call(LIST, 'read', `input: { type: object, properties: { q: ${schema} } }`, 'with: { q: $input.q }');
}

describe('a choice of the input', () => {
  it.each([
    ['string', 'a', '1'],
    ['number', '1.5', 'a'],
    ['integer', '1', '1.5'],
    ['boolean', 'true', 'a'],
    ['object', '{}', '[]'],
    ['array', '[]', '{}'],
    ['null', 'null', '{}'],
  ])('of type %s is accepted, and one of another type named', async (type, right, wrong) => {
    const problems = await problemsOf(property(`{ type: "${type}", enum: [${right}, ${wrong}] }`));
    const places = problems
      .filter((problem) => problem.includes(`is not of its type ${type}`))
      .map((problem) => /enum\.\d/.exec(problem)?.[0]);
    expect(places).toEqual(['enum.1']);
  });
});

describe('what would fail only at a call', () => {
  it.each<[string, string, string]>([
    [
      'a default of another type',
      property('{ type: string, default: 5 }'),
      '12:74 agents.a.actions.x.input.properties.q.default: doesn’t match its own schema: must be string',
    ],
    [
      'a default that is not a choice',
      property('{ type: string, enum: [name, size], default: nam }'),
      '12:94 agents.a.actions.x.input.properties.q.default: doesn’t match its own schema: must be one of name, size; did you mean name?',
    ],
    [
      'a default of another format',
      property('{ type: string, format: date, default: tomorrow }'),
      '12:88 agents.a.actions.x.input.properties.q.default: doesn’t match its own schema: must be a date such as 2026-05-04',
    ],
    [
      'a default that a definition refuses',
      call(
        LIST,
        'read',
        'input: { type: object, definitions: { c: { enum: [a] } }, properties: { q: { $ref: "#/definitions/c", default: b } } }',
        'with: { q: $input.q }',
      ),
      '12:120 agents.a.actions.x.input.properties.q.default: doesn’t match its own schema: must be one of a',
    ],
    [
      'a default further in',
      call(
        EVENT,
        'write',
        'input: { type: object, required: [s], properties: { s: { type: object, properties: { dateTime: { type: string, default: 5 } } } } }',
        'with: { calendarId: primary, start: $input.s }',
      ),
      '12:129 agents.a.actions.x.input.properties.s.properties.dateTime.default: doesn’t match its own schema: must be string',
    ],
    [
      'a choice of another type than its own',
      property('{ type: string, enum: [1] }'),
      '12:72 agents.a.actions.x.input.properties.q.enum.0: is not of its type string: write "1", in quotes',
    ],
    [
      'a fixed value that a parameter doesn’t have',
      call('calendar.events.list', 'read', 'with: { calendarId: primary, orderBy: starttime }'),
      '12:47 agents.a.actions.x.with.orderBy: must be one of startTime, updated; did you mean startTime?',
    ],
    [
      'a fixed value in a list',
      call('calendar.events.list', 'read', 'with: { calendarId: primary, eventTypes: [default, birthdays] }'),
      '12:60 agents.a.actions.x.with.eventTypes.1: must be one of birthday, default, focusTime, fromGmail, outOfOffice, workingLocation; did you mean birthday?',
    ],
    [
      'a fixed value that the reference lists in words',
      call(LIST, 'read', 'with: { corpora: everything }'),
      '12:26 agents.a.actions.x.with.corpora: must be one of user, domain, drive, allDrives',
    ],
    [
      'a fixed value in a body',
      call('gmail.users.labels.create', 'write', 'with: { name: x, labelListVisibility: hidden }'),
      '12:47 agents.a.actions.x.with.labelListVisibility: must be one of labelShow, labelShowIfUnread, labelHide',
    ],
    [
      'a fixed value further into a body',
      call(EVENT, 'write', 'with: { calendarId: primary, reminders: { overrides: [{ method: sms, minutes: 5 }] } }'),
      '12:73 agents.a.actions.x.with.reminders.overrides.0.method: must be one of email, popup',
    ],
    [
      'a choice of the input that a parameter doesn’t have',
      call(
        'calendar.events.list',
        'read',
        'input: { type: object, properties: { o: { enum: [startTime, name] } } }',
        'with: { calendarId: primary, orderBy: $input.o }',
      ),
      '13:47 agents.a.actions.x.with.orderBy: must be one of startTime, updated, but o can be "name"',
    ],
    [
      'a default of the input that a parameter doesn’t have',
      call(
        'gmail.users.messages.get',
        'read',
        'input: { type: object, required: [id], properties: { id: { type: string }, f: { type: string, default: text } } }',
        'with: { id: $input.id, format: $input.f }',
      ),
      '13:40 agents.a.actions.x.with.format: must be one of minimal, full, raw, metadata, but f can be "text"',
    ],
    [
      'an unknown field of an object in a body',
      call(EVENT, 'write', 'with: { calendarId: primary, start: { datTime: "2026-05-04T09:00:00Z" } }'),
      '12:47 agents.a.actions.x.with.start.datTime: is not a field of this object; did you mean dateTime?',
    ],
    [
      'an unknown field of an object in a list of a body',
      call('docs.documents.batchUpdate', 'write', 'with: { documentId: x, requests: [{ insertText: { txt: hello } }] }'),
      '12:59 agents.a.actions.x.with.requests.0.insertText.txt: is not a field of this object; did you mean text?',
    ],
    [
      'an unknown field of an object without a name of its own',
      call('drive.files.update', 'write', 'with: { fileId: x, contentHints: { thumbnail: { imag: x } } }'),
      '12:57 agents.a.actions.x.with.contentHints.thumbnail.imag: is not a field of this object; did you mean image?',
    ],
    [
      'a value of another type further into a body',
      call(EVENT, 'write', 'with: { calendarId: primary, start: { dateTime: 5 } }'),
      '12:57 agents.a.actions.x.with.start.dateTime: must be a string (in quotes if it looks like a number)',
    ],
    [
      'a property of another type further into a body',
      call(
        EVENT,
        'write',
        'input: { type: object, required: [n], properties: { n: { type: integer } } }',
        'with: { calendarId: primary, start: { dateTime: $input.n } }',
      ),
      '13:57 agents.a.actions.x.with.start.dateTime: must be a string (in quotes if it looks like a number), but n is integer',
    ],
    [
      'a list in a list',
      call(
        'gmail.users.messages.list',
        'read',
        'input: { type: object, properties: { l: { type: array, items: { type: string } } } }',
        'with: { labelIds: [$input.l] }',
      ),
      '13:28 agents.a.actions.x.with.labelIds.0: must be a string (in quotes if it looks like a number), but l is array',
    ],
    [
      'an unknown field that callers would pass',
      call(
        EVENT,
        'write',
        'input: { type: object, properties: { s: { type: object, properties: { datTime: { type: string } } } } }',
        'with: { calendarId: primary, start: $input.s }',
      ),
      '12:79 agents.a.actions.x.input.properties.s.properties.datTime: is not a field of this object; did you mean dateTime?',
    ],
    [
      'an unknown option of the bank',
      bank('call: transactions/get', 'description: X.', 'effect: read', 'with: { start_date: a, end_date: b, options: { coutn: 5 } }'),
      '12:56 agents.a.actions.x.with.options.coutn: is not a field of this object; did you mean count?',
    ],
    [
      'null for what a method needs',
      call(
        'drive.files.get',
        'read',
        'input: { type: object, required: [id], properties: { id: { type: [string, "null"] } } }',
        'with: { fileId: $input.id }',
      ),
      '13:25 agents.a.actions.x.with.fileId: drive.files.get needs fileId, so id must not be null',
    ],
    [
      'null in an address',
      call(LIST, 'read', 'with: { q: null }'),
      '12:20 agents.a.actions.x.with.q: must be a string (in quotes if it looks like a number)',
    ],
  ])('%s is found with its line and column', async (_title, source, expected) => {
    expect(await problemsOf(source)).toEqual([expected]);
  });

  it.each([
    ['a default that fits', property('{ type: string, enum: [a, b], default: a }')],
    ['a default that is null', property('{ type: [string, "null"], default: null }')],
    [
      'a default of an object whose own defaults make it whole',
      call(
        EVENT,
        'write',
        'input: { type: object, properties: { s: { type: object, default: {}, required: [date], properties: { date: { type: string, default: "2026-05-04" } } } } }',
        'with: { calendarId: primary, start: $input.s }',
      ),
    ],
    ['null among the types', property('{ type: [string, "null"], maxLength: 5 }')],
    [
      'null where a change clears a field',
      call('calendar.events.patch', 'write', 'with: { calendarId: primary, eventId: x, description: null, start: { date: null } }'),
    ],
    ['custom names', call('drive.files.update', 'write', 'with: { fileId: x, properties: { any: x }, appProperties: { y: z } }')],
    [
      'an object with any properties',
      call(
        EVENT,
        'write',
        'input: { type: object, required: [s], properties: { s: { type: object } } }',
        'with: { calendarId: primary, start: $input.s }',
      ),
    ],
  ])('%s is accepted', async (_title, source) => {
    expect(await problemsOf(source)).toEqual([]);
  });
});

describe('many defaults', () => {
  afterEach(() => vi.restoreAllMocks());

  it('are validated with one copy of the whole', async () => {
    const copies = vi.spyOn(Ajv.prototype, 'addSchema');
    const names = Array.from({ length: 60 }, (_, index) => `p${index}`);
    const properties = names.map((name) => `${name}: { type: string, default: ${name === 'p42' ? '5' : 'a'} }`).join(', ');
    const given = names.map((name) => `${name}: $input.${name}`).join(', ');
    const found = await problemsOf(
      call(
        'drive.files.update',
        'write',
        `input: { type: object, properties: { ${properties} } }`,
        `with: { fileId: x, properties: { ${given} } }`,
      ),
    );
    expect(found).toEqual([expect.stringContaining('input.properties.p42.default: doesn’t match its own schema: must be string')]);
    // The library adds its own meta-schemas to each new validator.
    expect(copies.mock.calls.filter(([, key]) => key === 'fragments')).toHaveLength(1);
  });

  it('in nested objects are applied before validation, also by reference', async () => {
    const definitions =
      'definitions: { t: { type: object, required: [date], properties: { date: { type: string, default: "2026-05-04" } } } }';
    const input = `input: { type: object, ${definitions}, properties: { s: { $ref: "#/definitions/t", default: {} } } }`;
    expect(await problemsOf(call(EVENT, 'write', input, 'with: { calendarId: primary, start: $input.s }'))).toEqual([]);
  });
});
