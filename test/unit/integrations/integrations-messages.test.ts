import { describe, expect, it } from 'vitest';
import { createIntegrationsFormat } from '../../../src/integrations/compile-catalog.ts';
import { parseIntegrations } from '../../../src/integrations/file/integrations-file.ts';
import { PROVIDERS } from '../../../src/providers/providers.ts';
import { call, workspace } from '../../support/inputs/declared-file.ts';
import { problemsOf } from '../../support/inputs/integrations.ts';

const integrationsFormat = createIntegrationsFormat(PROVIDERS);

const LIST = 'drive.files.list';

function input(schema: string, given = 'with: { q: $input.q }'): string {
  return call(LIST, 'read', `input: ${schema}`, given);
}

function property(schema: string): string {
  return input(`{ type: object, properties: { q: ${schema} } }`);
}

function project(expression: string): string {
  return call(LIST, 'read', `project: ${expression}`);
}

describe('a choice of required properties', () => {
  it.each(['oneOf', 'anyOf'])('is accepted if the properties are beside it: %s', async (choice) => {
    const properties = 'properties: { q: { type: string }, page: { type: string } }';
    const source = input(
      `{ type: object, ${properties}, ${choice}: [{ required: [q] }, { required: [page] }] }`,
      'with: { q: $input.q, pageToken: $input.page }',
    );
    expect(await problemsOf(source)).toEqual([]);
  });

  it('of an unknown property is found at its position', async () => {
    const source = input('{ type: object, properties: { q: { type: string } }, oneOf: [{ required: [qq] }, { required: [q] }] }');
    expect(await problemsOf(source)).toEqual([
      '12:77 agents.a.actions.x.input.oneOf.0: required property "qq" is not defined in properties; did you mean q?',
    ]);
  });
});

describe('a message names the cause, the position and the solution', () => {
  const TYPES = 'is not valid JSON Schema: must be one of array, boolean, integer, null, number, object, string';
  it.each<[string, string, string[]]>([
    [
      'a type by another name',
      property('{ type: text }'),
      [`12:57 agents.a.actions.x.input.properties.q.type: ${TYPES}; did you mean string?`],
    ],
    [
      'a type of another language',
      property('{ type: int }'),
      [`12:57 agents.a.actions.x.input.properties.q.type: ${TYPES}; did you mean integer?`],
    ],
    [
      'null without quotes',
      property('{ type: [string, null] }'),
      ['12:66 agents.a.actions.x.input.properties.q.type.1: null must be in quotes: "null"'],
    ],
    [
      'a name with a dash',
      input('{ type: object, properties: { my-q: { type: string } } }', 'with: { q: $input.my-q }'),
      [
        '12:46 agents.a.actions.x.input.properties.my-q: must be a name of letters, digits and _, such as my_q',
        '13:20 agents.a.actions.x.with.q: my-q can’t be the name of a property: names are letters, digits and _, such as my_q',
      ],
    ],
    [
      'a reference with another beginning',
      input('{ type: object, properties: { q: { type: string } } }', 'with: { q: $inputs.q }'),
      [
        '12:46 agents.a.actions.x.input.properties.q: is not used in with: refer to it as $input.q',
        '13:20 agents.a.actions.x.with.q: references begin with $input and a dot, such as $input.q',
      ],
    ],
    [
      'an unknown API',
      call('people.people.connections.list', 'read'),
      [
        '9:15 agents.a.actions.x.call: the provider has no method people.people.connections.list; methods of these APIs can be called: calendar, docs, drive, gmail, sheets, slides',
      ],
    ],
    [
      'a consent that is never requested',
      call('drive.apps.list', 'read'),
      [
        '9:15 agents.a.actions.x.call: drive.apps.list needs a consent that users are not asked for: the provider’s scope drive.apps.readonly',
      ],
    ],
    [
      'an effect by the method',
      call('drive.files.delete', 'write', 'with: { fileId: x }'),
      ['11:17 agents.a.actions.x.effect: drive.files.delete is destructive here: set effect: destructive'],
    ],
    [
      'an effect by a field',
      call('calendar.events.patch', 'write', 'with: { calendarId: primary, eventId: x, visibility: public }'),
      ['11:17 agents.a.actions.x.effect: calendar.events.patch is destructive here because of visibility: set effect: destructive'],
    ],
    [
      'a text that holds a colon',
      workspace('use: mail.search', 'description: Note: finds mail'),
      ['10:26 : bad indentation of a mapping entry: a text that holds “: ” needs quotes around all of it'],
    ],
    [
      'a text that holds a bracket, within braces',
      call(LIST, 'read', 'project: {a: b[], c: d}'),
      ['12:23 : missed comma between flow collection entries: a text that holds [ needs quotes around all of it'],
    ],
    [
      'a comma left out',
      workspace('use: mail.search', 'policy: { rate: 60/min timeout: 5s }'),
      ['10:39 : missed comma between flow collection entries: put a comma before this key, or quotes around a text that holds “: ”'],
    ],
    [
      'a reference in braces',
      input('{ type: object, properties: { q: { type: string } } }', `with: { q: ${'$'}{input.q} }`),
      ['13:21 : missed comma between flow collection entries: what a caller passes is written $input.name, without braces'],
    ],
    [
      'a text that begins with @',
      workspace('use: mail.search', 'description: @home'),
      ['10:22 : bad indentation of a mapping entry: a text that begins with @ needs quotes around all of it'],
    ],
    [
      'a quote within quotes',
      workspace('use: mail.search', "description: 'don't'"),
      ['10:27 : bad indentation of a mapping entry: a single quote within single quotes is written twice'],
    ],
    [
      'a quote that isn’t closed',
      workspace('use: mail.search', 'description: "abc'),
      ['11:1 : deficient indentation: a quotation mark or bracket above may not be closed'],
    ],
    [
      'a line too far to the right',
      workspace('use: mail.search', ' policy: {}'),
      ['10:16 : bad indentation of a mapping entry: this line begins further right than the key above it, or that one lacks its colon'],
    ],
    [
      'a keyword of OpenAPI',
      property('{ type: string, nullable: true }'),
      ['12:65 agents.a.actions.x.input.properties.q.nullable: is not a supported JSON Schema keyword; use type: [string, "null"]'],
    ],
    [
      'required in a property',
      property('{ type: string, required: true }'),
      [
        '12:75 agents.a.actions.x.input.properties.q.required: is not valid JSON Schema: must be a list of names, beside properties: required: [a, b]',
      ],
    ],
    [
      'one name in place of a list',
      input('{ type: object, required: q, properties: { q: { type: string } } }'),
      ['12:42 agents.a.actions.x.input.required: is not valid JSON Schema: must be a list, such as [a, b]'],
    ],
    [
      'a type in place of a schema',
      property('string'),
      ['12:49 agents.a.actions.x.input.properties.q: must be a JSON Schema, such as { type: string }'],
    ],
    [
      'a format by another name',
      property('{ type: string, format: datetime }'),
      ['12:49 agents.a.actions.x.input.properties.q: unknown format "datetime"; did you mean date-time?'],
    ],
    [
      'a keyword for another type',
      property('{ type: string, minimum: 1 }'),
      ['12:49 agents.a.actions.x.input.properties.q: missing type "number" for keyword "minimum": minimum is for number only'],
    ],
    ['the version in quotes', 'version: "1"\nagents: {}\n', ['1:10 version: must be 1, without quotes']],
  ])('%s', async (_title, source, expected) => {
    expect(await problemsOf(source)).toEqual(expected);
  });

  const AT = '12:18 agents.a.actions.x.project:';
  it.each([
    ['messages[.id', '“.” at character 10 doesn’t fit after what stands before it; fields of a list’s entries are written list[].field'],
    ['files[].{id: id', 'the “{” at character 9 isn’t closed with “}”'],
    ["files[?name=='x'", 'the “[?” at character 6 isn’t closed with “]”'],
    ['files..name', '“.” at character 7 doesn’t fit after what stands before it'],
    ["files[?name==='x']", '“=” at character 14 doesn’t fit after what stands before it; values are compared with =='],
    ['files; name', '“;” at character 6 means nothing there'],
    ['files[?size > `ten`]', 'the literal in backquotes at character 15 isn’t ended, or is no JSON; a text stands in single quotes'],
    ['files.', 'something is missing at its end'],
  ])('an expression: %s', async (expression, expected) => {
    expect(await problemsOf(project(`"${expression}"`))).toEqual([`${AT} is not a valid JMESPath expression: ${expected}`]);
  });

  it('an expression that assigns where it should compare, and one with a misspelt function', async () => {
    expect(await problemsOf(project('"files[?name=size]"'))).toEqual([`${AT} compares with = in a filter: values are compared with ==`]);
    expect(await problemsOf(project('"lenght(files)"'))).toEqual([`${AT} there is no JMESPath function lenght; did you mean length?`]);
  });
});

describe('beyond twenty diagnostics', () => {
  it('the message says how many more there are', async () => {
    const lines = Array.from({ length: 33 }, (_, index) => `u${index}: 1`).join('\n');
    const error = await parseIntegrations(`version: 1\nagents: {}\n${lines}`, 'i.yaml', integrationsFormat).catch((thrown) => thrown);
    expect(error.problems).toHaveLength(20);
    expect(error.more).toBe(13);
    expect(error.message).toMatch(/i\.yaml:22:1 u19: unknown key\n {2}… and 13 more$/);
  });

  it('and nothing more if these are all', async () => {
    const error = await parseIntegrations('version: 2\nagents: {}\n', 'i.yaml', integrationsFormat).catch((thrown) => thrown);
    expect(error).toMatchObject({ more: 0, message: expect.stringMatching(/i\.yaml:1:10 version: must be 1$/) });
  });
});
