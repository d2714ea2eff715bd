import { describe, expect, it } from 'vitest';
import { problemsOf } from '../../support/inputs/integrations.ts';

/** A file with one declared action: its effect on line 11, `with` on line 12. */
function call(method: string, effect: string, given: string, input = '{ type: object }'): string {
  return `version: 1
agents:
  a:
    provider: workspace
    description: A.
    scopes: [mail.modify, drive, calendar.events.owned]
    actions:
      x:
        call: ${method}
        description: X.
        effect: ${effect}
        with: ${given}
        input: ${input}
`;
}

const TEXT = '{ type: object, required: [t], properties: { t: { type: string } } }';
const LIST = '{ type: object, required: [t], properties: { t: { type: array, items: { type: string } } } }';

describe('the effect of a declared action', () => {
  it.each<[string, string, string, string?]>([
    ['cancels an event', 'calendar.events.patch', '{ calendarId: primary, eventId: x, status: cancelled }'],
    ['may cancel an event', 'calendar.events.patch', '{ calendarId: primary, eventId: x, status: $input.t }', TEXT],
    ['replaces an event as a whole', 'calendar.events.update', '{ calendarId: primary, eventId: x, summary: y }'],
    ['replaces a label as a whole', 'gmail.users.labels.update', '{ id: x, name: y }'],
    ['replaces a draft', 'gmail.users.drafts.update', '{ id: x, message: { raw: y } }'],
    ['lets any user join an event', 'calendar.events.insert', '{ calendarId: primary, anyoneCanAddSelf: true }'],
    ['shows an event to others', 'calendar.events.patch', '{ calendarId: primary, eventId: x, visibility: public }'],
    ['lets guests change an event', 'calendar.events.patch', '{ calendarId: primary, eventId: x, guestsCanModify: true }'],
    ['lets guests invite others', 'calendar.events.patch', '{ calendarId: primary, eventId: x, guestsCanInviteOthers: true }'],
    ['shows guests to each other', 'calendar.events.patch', '{ calendarId: primary, eventId: x, guestsCanSeeOtherGuests: true }'],
    ['creates an event from text', 'calendar.events.quickAdd', '{ calendarId: primary, text: $input.t }', TEXT],
    [
      'declines invitations',
      'calendar.events.insert',
      "{ calendarId: primary, eventType: outOfOffice, outOfOfficeProperties: { declineMessage: 'Away.' } }",
    ],
    [
      'declines invitations for focus',
      'calendar.events.patch',
      '{ calendarId: primary, eventId: x, focusTimeProperties: { chatStatus: available } }',
    ],
    ['locks a file', 'drive.files.update', '{ fileId: x, contentRestrictions: [{ readOnly: true }] }'],
    ['moves a file into a folder', 'drive.files.update', '{ fileId: x, addParents: y }'],
    ['removes a file from a folder', 'drive.files.update', '{ fileId: x, removeParents: y }'],
    ['creates a file in a folder', 'drive.files.create', '{ name: x, parents: [y] }'],
    ['copies a file into a folder', 'drive.files.copy', '{ fileId: x, parents: [$input.t] }', TEXT],
    ['may mention a person in a comment', 'drive.comments.create', '{ fileId: x, content: $input.t, fields: id }', TEXT],
    ['mentions a person in a reply', 'drive.replies.create', '{ fileId: x, commentId: y, content: "+a@example.com", fields: id }'],
    ['assigns a comment', 'drive.comments.create', '{ fileId: x, content: y, assigneeEmailAddress: a@example.com, fields: id }'],
    ['lists who is mentioned', 'drive.comments.create', '{ fileId: x, content: y, mentionedEmailAddresses: [], fields: id }'],
    ['may add the trash’s label', 'gmail.users.messages.batchModify', '{ ids: [x], addLabelIds: $input.t }', LIST],
    ['may add one label of the trash’s', 'gmail.users.threads.modify', '{ id: x, addLabelIds: [STARRED, $input.t] }', TEXT],
    ['moves a message to the spam', 'gmail.users.messages.insert', '{ raw: x, labelIds: [SPAM] }'],
    ['may move a message to the trash', 'gmail.users.messages.import', '{ raw: x, labelIds: $input.t }', LIST],
  ])('that %s is at least destructive', async (_title, method, given, input) => {
    expect(await problemsOf(call(method, 'write', given, input))).toEqual([
      expect.stringMatching(
        `^11:17 agents\\.a\\.actions\\.x\\.effect: ${method} is destructive here( because of \\w+)?: set effect: destructive$`,
      ),
    ]);
    expect(await problemsOf(call(method, 'destructive', given, input))).toEqual([]);
  });

  it.each<[string, string, string, string?]>([
    ['confirms an event', 'calendar.events.patch', '{ calendarId: primary, eventId: x, status: confirmed }'],
    ['renames an event', 'calendar.events.patch', '{ calendarId: primary, eventId: x, summary: $input.t }', TEXT],
    ['creates a file', 'drive.files.create', '{ name: $input.t }', TEXT],
    ['creates a fixed comment', 'drive.comments.create', '{ fileId: x, content: Seen., fields: id }'],
    ['adds a fixed label', 'gmail.users.messages.modify', '{ id: x, addLabelIds: [STARRED] }'],
    ['removes any labels', 'gmail.users.messages.modify', '{ id: x, removeLabelIds: $input.t }', LIST],
    ['keeps a message with a fixed label', 'gmail.users.messages.insert', '{ raw: x, labelIds: [INBOX] }'],
  ])('that %s may be write', async (_title, method, given, input) => {
    expect(await problemsOf(call(method, 'write', given, input))).toEqual([]);
  });

  it.each(['viewersCanCopyContent: true', 'downloadRestrictions: {}'])('can’t be a change of who may copy: %s', async (field) => {
    expect(await problemsOf(call('drive.files.update', 'destructive', `{ fileId: x, ${field} }`))).toEqual([
      expect.stringMatching(/^12:28 .*: changes who may copy$/),
    ]);
  });
});

describe('a fixed part of an address', () => {
  it.each(['a/b', 'a?alt=media', 'a#b'])('can’t be %s', async (id) => {
    expect(await problemsOf(call('drive.files.get', 'read', `{ fileId: "${id}" }`))).toEqual([
      '12:25 agents.a.actions.x.with.fileId: must not contain /, ? or #, because it is part of a URL path',
    ]);
  });

  it('does not restrict other parameters', async () => {
    expect(await problemsOf(call('drive.files.list', 'read', '{ q: "name = \'a/b?#\'" }'))).toEqual([]);
  });
});

describe('a schema that could keep the process busy', () => {
  function text(schema: string): string {
    const input = `{ type: object, required: [t], properties: { t: ${schema} } }`;
    return call('drive.files.list', 'read', '{ q: $input.t }', input);
  }

  function list(schema: string): string {
    const input = `{ type: object, required: [t], properties: { t: ${schema} } }`;
    // A map may contain a list of any kind.
    return call('drive.files.update', 'destructive', '{ fileId: x, properties: { any: $input.t } }', input);
  }

  it.each([
    '{ type: array, uniqueItems: true, items: { type: object } }',
    '{ type: array, uniqueItems: true, items: { type: [string, number] } }',
    '{ type: array, uniqueItems: true, items: { enum: [a, 1] } }',
    '{ type: array, uniqueItems: true }',
    '{ type: array, uniqueItems: true, maxItems: 501, items: { type: object } }',
  ])('is rejected, since every item is compared with every other: %s', async (schema) => {
    expect(await problemsOf(list(schema))).toEqual([
      expect.stringMatching(/properties\.t\.uniqueItems: needs maxItems of at most 500 beside it, or items of one scalar type$/),
    ]);
  });

  it.each([
    '{ type: array, uniqueItems: true, items: { type: string } }',
    '{ type: array, uniqueItems: true, maxItems: 500, items: { type: object } }',
    '{ type: array, uniqueItems: false, items: { type: object } }',
  ])('does not include this: %s', async (schema) => {
    expect(await problemsOf(list(schema))).toEqual([]);
  });

  it.each([
    '^[\\w.+-]+@[\\w-]+\\.[a-z]+$',
    '^[^,]*,[^,]*,[^,]*$',
    '^https?://[^/]+/.*$',
    '^(a+)+$',
    '^([a-z]*)(?:[a-y]*)(?<c>[a-x]*)$',
    '^[а-т]*[м-я]*[м-т]*$',
    '^[a-z]?[a-z]?[a-z]?[a-z]?[a-z]*[a-y]*$',
  ])('does not include a pattern with repetition or alternatives, which matches in linear time: %s', async (pattern) => {
    expect(await problemsOf(text(`{ type: string, pattern: '${pattern}' }`))).toEqual([]);
  });
});
