import { describe, expect, it } from 'vitest';
import { bank, call, file, workspace } from '../../support/inputs/declared-file.ts';
import { problemsOf } from '../../support/inputs/integrations.ts';

const LIST = 'drive.files.list';

describe('a valid declaration', () => {
  it.each([
    ['of a read', call(LIST, 'read')],
    ['of a read that is declared as a write', call(LIST, 'destructive')],
    [
      'with fixed parameters',
      call(LIST, 'read', 'with: { pageSize: 5, q: "trashed = false", supportsAllDrives: true, fields: "files(id)" }'),
    ],
    [
      'with references in bodies and lists',
      call(
        'calendar.events.insert',
        'write',
        'input: { type: object, required: [from, name], properties: { from: { type: string }, name: { type: string } } }',
        'with: { calendarId: primary, summary: $input.name, start: { dateTime: $input.from }, recurrence: [$input.name] }',
      ),
    ],
    [
      'with a default for a required parameter',
      call(
        'drive.files.get',
        'read',
        'input: { type: object, properties: { id: { type: string, default: root } } }',
        'with: { fileId: $input.id }',
      ),
    ],
    [
      'with definitions in its schema',
      call(
        LIST,
        'read',
        'input: { type: object, definitions: { q: { type: string } }, properties: { q: { $ref: "#/definitions/q" } } }',
        'with: { q: $input.q }',
      ),
    ],
    [
      'with a pattern and a format',
      call(
        'drive.files.get',
        'read',
        'input: { type: object, required: [id], properties: { id: { type: string, pattern: "^[\\\\w-]{5,80}$" }, t: { type: string, format: date-time } } }',
        'with: { fileId: $input.id, fields: $input.t }',
      ),
    ],
    [
      'of the bank',
      bank('call: transactions/get', 'description: X.', 'effect: read', 'with: { start_date: "2026-01-01", end_date: "2026-02-01" }'),
    ],
    [
      'with a property of two types',
      call(LIST, 'read', 'input: { type: object, properties: { q: { type: [string, integer] } } }', 'with: { q: $input.q }'),
    ],
    ['with a projection', call(LIST, 'read', 'project: "sort_by(files, &name)[].{id: id, first: parents[0]}"', 'cap: 1MB')],
    ['of the mailbox, which is always the account’s own', call('gmail.users.labels.list', 'read')],
    ['of the mailbox by the word that the provider has for it', call('gmail.users.labels.list', 'read', 'with: { userId: me }')],
  ])('%s is accepted', async (_title, source) => {
    expect(await problemsOf(source)).toEqual([]);
  });
});

describe('a diagnostic in an action is found with its line and column', () => {
  it.each<[string, string, string[]]>([
    [
      'neither use nor call',
      workspace('description: X.'),
      ['8:7 agents.a.actions.x.use: must be the name of a built-in action (or use call, with a method)'],
    ],
    [
      'both',
      workspace('use: mail.search', 'call: x', 'description: X.'),
      ['9:9 agents.a.actions.x: has both use and call: an action is either a built-in one or a method'],
    ],
    [
      'both, each with all that it needs',
      workspace('use: mail.search', 'call: drive.files.list', 'description: X.', 'effect: read'),
      ['9:9 agents.a.actions.x: has both use and call: an action is either a built-in one or a method'],
    ],
    ['a name alone', workspace('search'), ['9:9 agents.a.actions.x: must be keys with values (key: value)']],
    ['an unknown key', workspace('use: mail.search', 'polcy: {}'), ['10:9 agents.a.actions.x.polcy: unknown key; did you mean policy?']],
    [
      'an unknown key of a policy',
      workspace('use: mail.search', 'policy: { aproval: always }'),
      ['10:19 agents.a.actions.x.policy.aproval: unknown key; did you mean approval?'],
    ],
    [
      'a policy of wrong types',
      workspace('use: mail.search', 'policy: { approval: maybe, timeout: 61s, rate: 60/week, enabled: 1, allow: { to: x } }'),
      [
        '10:29 agents.a.actions.x.policy.approval: must be never, destructive or always',
        '10:45 agents.a.actions.x.policy.timeout: must be whole seconds from 1s to 60s',
        '10:56 agents.a.actions.x.policy.rate: must be a number of calls per sec, min, hour or day, such as 60/min',
        '10:74 agents.a.actions.x.policy.enabled: must be true or false',
        '10:90 agents.a.actions.x.policy.allow.to: must be a list of patterns, such as ["*@example.com"]',
      ],
    ],
    [
      'figures without a unit',
      workspace('use: mail.search', 'cap: 20', 'policy: { timeout: 10, rate: 60 }'),
      [
        '10:14 agents.a.actions.x.cap: must be a number of kB or MB, such as 20kB',
        '11:28 agents.a.actions.x.policy.timeout: must be whole seconds from 1s to 60s',
        '11:38 agents.a.actions.x.policy.rate: must be a number of calls per sec, min, hour or day, such as 60/min',
      ],
    ],
    [
      'an allow-list pattern without quotes',
      workspace('use: mail.send', 'policy: { allow: { to: [*@example.com] } }'),
      ['10:33 : aliases are not supported; put text that begins with * in quotes'],
    ],
    [
      'a number in place of a text, in a built-in',
      workspace('use: mail.search', 'description: 7'),
      ['10:22 agents.a.actions.x.description: must be a string (in quotes if it looks like another type)'],
    ],
    [
      'an invalid built-in',
      workspace('use: mail.serch'),
      ['9:14 agents.a.actions.x.use: there is no built-in action mail.serch; did you mean mail.search?'],
    ],
    [
      'a built-in of the other provider',
      workspace('use: bank.balances'),
      ['9:14 agents.a.actions.x.use: bank.balances works with the provider bank, this agent with workspace'],
    ],
    [
      'a built-in that the scopes don’t cover',
      file('workspace', 'scopes: [documents]', ['use: mail.search']),
      ['9:14 agents.a.actions.x.use: mail.search needs one of these in the agent’s scopes: mail.modify'],
    ],
    [
      'a built-in that the products don’t cover',
      bank('use: bank.numbers'),
      ['9:14 agents.a.actions.x.use: bank.numbers needs auth in the agent’s products'],
    ],
    [
      'no approval for a destructive built-in',
      workspace('use: mail.trash', 'policy: { approval: never }'),
      ['10:29 agents.a.actions.x.policy.approval: a destructive action always needs approval: set destructive or always'],
    ],
    [
      'a larger cap than the built-in’s',
      workspace('use: mail.search', 'cap: 9MB'),
      ['10:14 agents.a.actions.x.cap: exceeds this action’s maximum of 256kB'],
    ],
    [
      'a cap one more than the built-in’s',
      workspace('use: mail.search', 'cap: 257kB'),
      ['10:14 agents.a.actions.x.cap: exceeds this action’s maximum of 256kB'],
    ],
    [
      'an allow-list that is never checked',
      workspace('use: mail.send', 'policy: { allow: { too: ["*"] } }'),
      ['10:28 agents.a.actions.x.policy.allow.too: is not an allow-list of this action: it has “to”; did you mean to?'],
    ],
    [
      'unmasking what isn’t masked',
      bank('use: bank.balances', 'policy: { mask: false }'),
      ['10:19 agents.a.actions.x.policy.mask: is for bank.numbers only'],
    ],
  ])('%s', async (_title, source, expected) => {
    expect(await problemsOf(source)).toEqual(expected);
  });
});

describe('a diagnostic in a declared method is found with its line and column', () => {
  it.each<[string, string, string[]]>([
    ['no effect', workspace(`call: ${LIST}`, 'description: X.'), ['8:7 agents.a.actions.x.effect: must be read, write or destructive']],
    [
      'an unknown method',
      call('drive.file.list', 'read'),
      ['9:15 agents.a.actions.x.call: the provider has no method drive.file.list; did you mean drive.files.list?'],
    ],
    [
      'a method of an unknown API',
      call('admin.users.insert', 'write'),
      [expect.stringContaining('9:15 agents.a.actions.x.call: the provider has no method admin.users.insert')],
    ],
    [
      'a name of Object’s',
      call('constructor', 'read'),
      [expect.stringContaining('9:15 agents.a.actions.x.call: the provider has no method constructor')],
    ],
    [
      'a method that the scopes don’t cover',
      file('workspace', 'scopes: [mail.modify]', [
        'call: sheets.spreadsheets.get',
        'description: X.',
        'effect: read',
        'with: { spreadsheetId: x }',
      ]),
      ['9:15 agents.a.actions.x.call: sheets.spreadsheets.get needs one of these in the agent’s scopes: drive, spreadsheets.readonly'],
    ],
    [
      'a method without approval',
      call('calendar.calendarList.list', 'read'),
      [
        '9:15 agents.a.actions.x.call: calendar.calendarList.list needs a consent that users are not asked for: one of the provider’s scopes calendar, calendar.calendarlist, calendar.calendarlist.readonly, calendar.readonly',
      ],
    ],
    ['a required parameter left out', call('drive.files.get', 'read'), ['8:7 agents.a.actions.x.with: drive.files.get needs fileId']],
    [
      'a required parameter that a call may leave out',
      call('drive.files.get', 'read', 'input: { type: object, properties: { id: { type: string } } }', 'with: { fileId: $input.id }'),
      ['13:25 agents.a.actions.x.with.fileId: drive.files.get needs fileId, so the input must require id, or have a default for it'],
    ],
    [
      'a reference to nothing',
      call(
        'drive.files.get',
        'read',
        'input: { type: object, required: [id], properties: { id: { type: string } } }',
        'with: { fileId: $input.ids, fields: $input.id }',
      ),
      ['13:25 agents.a.actions.x.with.fileId: the input has no property ids; did you mean id?'],
    ],
    [
      'a reference with two letters swapped',
      call(LIST, 'read', 'input: { type: object, properties: { title: { type: string } } }', 'with: { q: $input.titel }'),
      [
        expect.stringContaining('is not used in with'),
        '13:20 agents.a.actions.x.with.q: the input has no property titel; did you mean title?',
      ],
    ],
    [
      'a reference in the middle of a text',
      call(LIST, 'read', 'input: { type: object, properties: { n: { type: string } } }', `with: { q: "name = '$input.n'" }`),
      [
        '12:46 agents.a.actions.x.input.properties.n: is not used in with: refer to it as $input.n',
        '13:20 agents.a.actions.x.with.q: $input.<name> must stand alone: strings are not concatenated',
      ],
    ],
    [
      'a reference into a property',
      call(LIST, 'read', 'input: { type: object, properties: { n: { type: object } } }', 'with: { q: $input.n.m }'),
      [
        expect.stringContaining('is not used in with'),
        '13:20 agents.a.actions.x.with.q: $input.<name> must stand alone: strings are not concatenated',
      ],
    ],
    [
      'an unused property',
      call(LIST, 'read', 'input: { type: object, properties: { n: { type: string } } }'),
      ['12:46 agents.a.actions.x.input.properties.n: is not used in with: refer to it as $input.n'],
    ],
    [
      'a text in place of a number',
      call(LIST, 'read', 'with: { pageSize: "5" }'),
      ['12:27 agents.a.actions.x.with.pageSize: must be a number'],
    ],
    [
      'a number in place of a text',
      call('drive.files.get', 'read', 'with: { fileId: 5 }'),
      ['12:25 agents.a.actions.x.with.fileId: must be a string (in quotes if it looks like a number)'],
    ],
    [
      'a property of another type than the parameter',
      call(LIST, 'read', 'input: { type: object, properties: { n: { type: string } } }', 'with: { pageSize: $input.n }'),
      ['13:27 agents.a.actions.x.with.pageSize: must be a number, but n is string'],
    ],
    [
      'a milder effect: a write',
      call('drive.files.copy', 'read', 'with: { fileId: x }'),
      ['11:17 agents.a.actions.x.effect: drive.files.copy is write here: set effect: write'],
    ],
    [
      'a milder effect: by the verb',
      call('drive.files.delete', 'write', 'with: { fileId: x }'),
      ['11:17 agents.a.actions.x.effect: drive.files.delete is destructive here: set effect: destructive'],
    ],
    [
      'a milder effect: by a field',
      call('drive.files.update', 'write', 'with: { fileId: x, trashed: true }'),
      ['11:17 agents.a.actions.x.effect: drive.files.update is destructive here because of trashed: set effect: destructive'],
    ],
    [
      'a milder effect: an invitation',
      call('calendar.events.insert', 'write', 'with: { calendarId: primary, attendees: [{ email: a@example.com }] }'),
      ['11:17 agents.a.actions.x.effect: calendar.events.insert is destructive here because of attendees: set effect: destructive'],
    ],
    [
      'a milder effect: mail that is sent',
      call('gmail.users.messages.send', 'write', 'with: { raw: x }'),
      ['11:17 agents.a.actions.x.effect: gmail.users.messages.send is destructive here: set effect: destructive'],
    ],
    [
      'a milder effect: a label that is the trash',
      call('gmail.users.messages.modify', 'write', 'with: { id: x, addLabelIds: [TRASH] }'),
      ['11:17 agents.a.actions.x.effect: gmail.users.messages.modify is destructive here because of addLabelIds: set effect: destructive'],
    ],
    [
      'an invalid projection',
      call(LIST, 'read', 'project: "files["'),
      [expect.stringContaining('12:18 agents.a.actions.x.project: is not a valid JMESPath expression')],
    ],
    [
      'an unknown function',
      call(LIST, 'read', 'project: "shell(files)"'),
      ['12:18 agents.a.actions.x.project: there is no JMESPath function shell'],
    ],
    [
      'a projection into a prototype',
      call(LIST, 'read', 'project: "files.constructor"'),
      ['12:18 agents.a.actions.x.project: constructor is a reserved name'],
    ],
    [
      'a projection onto a prototype',
      call(LIST, 'read', 'project: "{__proto__: files}"'),
      ['12:18 agents.a.actions.x.project: __proto__ is a reserved name'],
    ],
    [
      'one text where the body has a list',
      call('drive.files.create', 'destructive', 'with: { parents: root }'),
      ['12:26 agents.a.actions.x.with.parents: must be a list'],
    ],
    ['a cap over a megabyte', call(LIST, 'read', 'cap: 2MB'), ['12:14 agents.a.actions.x.cap: exceeds this action’s maximum of 1000kB']],
    [
      'no approval for a destructive method',
      call('drive.files.delete', 'destructive', 'with: { fileId: x }', 'policy: { approval: never }'),
      ['13:29 agents.a.actions.x.policy.approval: a destructive action always needs approval: set destructive or always'],
    ],
    [
      'an allow-list of a property that is not text',
      call(
        LIST,
        'read',
        'input: { type: object, properties: { n: { type: integer } } }',
        'with: { pageSize: $input.n }',
        'policy: { allow: { n: ["1"] } }',
      ),
      ['14:28 agents.a.actions.x.policy.allow.n: is not an allow-list of this action: it has none'],
    ],
  ])('%s', async (_title, source, expected) => {
    expect(await problemsOf(source)).toEqual(expected);
  });

  it.each<[string, string, string]>([
    ['that is not an object', '{ type: array }', '12:24 agents.a.actions.x.input.type: must be object'],
    [
      'that isn’t closed',
      '{ type: object, additionalProperties: true }',
      '12:54 agents.a.actions.x.input.additionalProperties: must be false',
    ],
    [
      'with an unknown keyword',
      '{ type: object, requird: [a] }',
      '12:32 agents.a.actions.x.input.requird: is not a supported JSON Schema keyword; did you mean required?',
    ],
    [
      'with an unknown type',
      '{ type: object, properties: { a: { type: strng } } }',
      '12:57 agents.a.actions.x.input.properties.a.type: is not valid JSON Schema: must be one of array, boolean, integer, null, number, object, string; did you mean string?',
    ],
    [
      'with an unknown format',
      '{ type: object, properties: { a: { type: string, format: iban } } }',
      '12:49 agents.a.actions.x.input.properties.a: unknown format "iban"',
    ],
    [
      'with a keyword of another type',
      '{ type: object, properties: { a: { type: string, minimum: 1 } } }',
      '12:49 agents.a.actions.x.input.properties.a: missing type "number" for keyword "minimum"',
    ],
    [
      'that requires a missing property',
      '{ type: object, required: [b] }',
      '12:16 agents.a.actions.x.input: required property "b" is not defined',
    ],
    [
      'with a name that can’t be referenced',
      '{ type: object, properties: { "a b": { type: string } } }',
      '12:46 agents.a.actions.x.input.properties.a b: must be a name of letters, digits and _',
    ],
    [
      'that refers elsewhere',
      '{ type: object, properties: { a: { $ref: "https://example.com/x" } } }',
      '12:57 agents.a.actions.x.input.properties.a.$ref: must refer to the same schema',
    ],
    [
      'that refers to nothing',
      '{ type: object, properties: { a: { $ref: "#/definitions/a" } } }',
      "12:16 agents.a.actions.x.input: can't resolve reference #/definitions/a",
    ],
    [
      'with an id',
      '{ type: object, $id: "https://example.com/x" }',
      '12:32 agents.a.actions.x.input.$id: is not a supported JSON Schema keyword',
    ],
    [
      'that is asynchronous',
      '{ type: object, $async: true }',
      '12:32 agents.a.actions.x.input.$async: is not a supported JSON Schema keyword',
    ],
    [
      'with an invalid pattern',
      '{ type: object, properties: { a: { type: string, pattern: "(" } } }',
      '12:74 agents.a.actions.x.input.properties.a.pattern: is not a valid regular expression',
    ],
    [
      'with a pattern that refers back to a group',
      '{ type: object, properties: { a: { type: string, pattern: "^(a+)\\\\1$" } } }',
      '12:74 agents.a.actions.x.input.properties.a.pattern: must not use backreferences',
    ],
    [
      'with a long text beside a pattern',
      '{ type: object, properties: { a: { type: string, pattern: "^a$", maxLength: 300 } } }',
      '12:92 agents.a.actions.x.input.properties.a.maxLength: must be at most 256 beside a pattern',
    ],
  ])('an input schema %s', async (_title, input, expected) => {
    const problems = await problemsOf(call(LIST, 'read', `input: ${input}`));
    expect(problems.filter((problem) => !problem.includes('is not used in with'))).toEqual([expect.stringContaining(expected)]);
  });
});

describe('declared actions may not', () => {
  it.each([
    ['drive.files.watch', 'send requests to any address'],
    ['calendar.events.watch', 'send requests to any address'],
    ['gmail.users.watch', 'send requests to any address'],
    ['gmail.users.stop', 'send requests to any address'],
    ['drive.channels.stop', 'send requests to any address'],
    ['drive.permissions.create', 'who has access'],
    ['drive.permissions.delete', 'who has access'],
    ['drive.accessproposals.resolve', 'who has access'],
    ['calendar.acl.insert', 'who has access'],
    ['gmail.users.settings.filters.create', 'mail settings'],
    ['gmail.users.settings.delegates.create', 'mail settings'],
    ['gmail.users.settings.forwardingAddresses.create', 'mail settings'],
    ['gmail.users.settings.updateAutoForwarding', 'mail settings'],
    ['gmail.users.settings.sendAs.patch', 'mail settings'],
    ['sheets.spreadsheets.batchUpdate', 'read-only'],
    ['sheets.spreadsheets.values.update', 'read-only'],
    ['sheets.spreadsheets.values.batchGetByDataFilter', 'read-only'],
    ['slides.presentations.batchUpdate', 'read-only'],
    ['drive.drives.create', 'administrators'],
    ['drive.revisions.update', 'publish'],
    ['drive.files.export', 'no JSON'],
  ])('%s', async (method, why) => {
    expect(await problemsOf(call(method, 'destructive'))).toEqual([
      expect.stringMatching(`9:15 .*${method} may not be declared: .*${why}`),
    ]);
  });

  it.each([
    'transfer/create',
    'payment_initiation/payment/create',
    'item/remove',
    'item/access_token/invalidate',
    'link/token/create',
    'processor/token/create',
  ])('bank: %s', async (path) => {
    const problems = await problemsOf(bank(`call: ${path}`, 'description: X.', 'effect: destructive'));
    expect(problems).toEqual([expect.stringContaining(`9:15 agents.a.actions.x.call: ${path} is not open to actions: only accounts/get,`)]);
  });

  it('bank: a call of a product that the agent lacks', async () => {
    expect(await problemsOf(bank('call: auth/get', 'description: X.', 'effect: read'))).toEqual([
      '9:15 agents.a.actions.x.call: auth/get needs auth in the agent’s products',
    ]);
  });

  it('bank: a call with its own token', async () => {
    const found = await problemsOf(
      bank('call: accounts/get', 'description: X.', 'effect: read', 'with: { access_token: x, client_id: y, secret: z }'),
    );
    expect(found.map((problem) => problem.split(': is no')[0])).toEqual([
      '12:17 agents.a.actions.x.with.access_token',
      '12:34 agents.a.actions.x.with.client_id',
      '12:48 agents.a.actions.x.with.secret',
    ]);
  });

  it.each([
    'headers: { authorization: x }',
    'auth: x',
    'key: x',
    'access_token: x',
    'oauth_token: x',
    'callback: x',
    'alt: media',
    'uploadType: media',
    'upload_protocol: raw',
    'media: { body: x }',
    'requestBody: { name: x }',
    'resource: { name: x }',
    'quotaUser: x',
    'userIp: x',
    '"$.xgafv": x',
    'prettyPrint: true',
    'params: {}',
    'rootUrl: https://example.com',
    'userId: me',
  ])('put %s into a request', async (parameter) => {
    const [problem, ...others] = await problemsOf(call('drive.files.create', 'write', `with: { ${parameter} }`));
    expect(problem).toMatch(/^12:17 agents\.a\.actions\.x\.with\..* is not a parameter or body field of drive\.files\.create/);
    expect(others).toEqual([]);
  });

  it('set when a file was changed', async () => {
    expect(await problemsOf(call('drive.files.update', 'write', 'with: { fileId: f1, modifiedTime: 2027-01-01T00:00:00Z }'))).toEqual([
      expect.stringMatching(/modifiedTime: would hide that a document was changed/),
    ]);
  });

  it.each(['permissions: []', 'permissionIds: [x]', 'writersCanShare: true', 'copyRequiresWriterPermission: false', 'owners: []'])(
    'say who has access: %s',
    async (field) => {
      expect(await problemsOf(call('drive.files.create', 'write', `with: { ${field} }`))).toEqual([
        expect.stringMatching(/^12:17 .* changes who/),
      ]);
    },
  );

  it('act as an administrator, or on another mailbox', async () => {
    expect(await problemsOf(call('drive.drives.list', 'read', 'with: { useDomainAdminAccess: true }'))).toEqual([
      '12:17 agents.a.actions.x.with.useDomainAdminAccess: is for administrators',
    ]);
    expect(await problemsOf(call('gmail.users.labels.list', 'read', 'with: { userId: boss@example.com }'))).toEqual([
      '12:17 agents.a.actions.x.with.userId: is always me, the account itself',
    ]);
  });
});
