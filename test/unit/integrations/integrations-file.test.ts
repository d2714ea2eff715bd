import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BUILT_INS } from '../../../src/actions/built-ins.ts';
import { systemClock } from '../../../src/clock/clock.ts';
import type { AppError } from '../../../src/errors.ts';
import type { Catalog } from '../../../src/integrations/catalog.ts';
import { createIntegrationsFormat } from '../../../src/integrations/compile-catalog.ts';
import { parseIntegrations } from '../../../src/integrations/file/integrations-file.ts';
import { integrationsRouter } from '../../../src/integrations/integrations-routes.ts';
import { IntegrationsService } from '../../../src/integrations/reload/integrations-service.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { PROVIDERS } from '../../../src/providers/providers.ts';
import { problemsOf } from '../../support/inputs/integrations.ts';
import { fc } from '../../support/runner/property.ts';

const integrationsFormat = createIntegrationsFormat(PROVIDERS);

const SHIPPED = new URL('../../../integrations.yaml', import.meta.url);
const VALID = 'version: 1\nagents:\n  bank: { provider: bank, description: Balances., products: [auth] }\n';

function parse(source: string, fileName = 'integrations.yaml'): Promise<Catalog> {
  return parseIntegrations(source, fileName, integrationsFormat);
}

const words = fc.constantFrom(
  ...[
    'version',
    'agents',
    'defaults',
    'policy',
    'provider',
    'workspace',
    'bank',
    'description',
    'scopes',
    'products',
    'actions',
    'use',
    'call',
  ],
  ...[
    'mail.search',
    'drive.files.list',
    'transactions/get',
    'drive',
    'effect',
    'read',
    'input',
    'with',
    'project',
    'cap',
    'type',
    'object',
  ],
  ...['properties', 'pattern', '$ref', '#', '$input.a', '$input.', 'toString', 'hasOwnProperty', 'allow', 'rate', '1/sec', '9kB', 'mask'],
);
const leaf = fc.oneof(words, fc.string(), fc.double(), fc.integer(), fc.boolean(), fc.constant(null));
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5 },
    leaf,
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(words, fc.string()), tie('tree'), { maxKeys: 4 }),
  ),
}));
/** A declared action with arbitrary values. */
const declared = fc
  .record(
    { call: words, description: leaf, effect: words, input: tree, with: tree, project: leaf, cap: words, policy: tree },
    { requiredKeys: ['call'] },
  )
  .map((action) => ({ version: 1, agents: { a: { provider: 'workspace', description: 'A', scopes: ['drive'], actions: { x: action } } } }));
/** The same with an arbitrary schema and parameters only, which reach the compiler. */
const odd = fc
  .record({ input: tree, with: fc.dictionary(words, tree), project: fc.string({ minLength: 1 }) })
  .map(({ input, with: given, project }) => ({
    version: 1,
    agents: {
      a: {
        provider: 'workspace',
        description: 'A',
        scopes: ['drive'],
        actions: {
          x: {
            call: 'drive.files.list',
            description: 'X',
            effect: 'read',
            input: { type: 'object', properties: { a: input } },
            with: given,
            project,
          },
        },
      },
    },
  }));
/** A source and an agent of it with arbitrary values. */
const sourced = fc
  .record({
    source: fc.record(
      { url: leaf, label: leaf, auth: words, header: leaf, client_secret_variable: leaf, scopes: tree },
      { requiredKeys: [] },
    ),
    action: fc.record(
      { tool: leaf, effect: words, with: tree, hash: leaf, dispatches: leaf, results: leaf, policy: tree },
      { requiredKeys: [] },
    ),
    named: fc.constantFrom('s', 'toString', '__proto__'),
  })
  .map(({ source, action, named }) => ({
    version: 1,
    sources: { s: source },
    agents: { a: { provider: 'mcp', source: named, description: 'A', actions: { x: action, y: { tool: 'y', effect: 'read' } } } },
  }));
const anyDocument = fc.oneof(tree, declared, odd, sourced).map((value) => JSON.stringify(value) ?? '');
const anyText = fc
  .array(fc.oneof(words, fc.string(), fc.constantFrom(': ', '\n', '  ', '- ', '{', '[', ']', '}', '&a', '*a', '!!x', '"', '|', '%')))
  .map((parts) => parts.join(''));

/** The document with an agent `mail` with the given lines from the fourth on. */
function mail(...lines: string[]): string {
  return ['version: 1', 'agents:', '  mail:', ...lines.map((line) => `    ${line}`), ''].join('\n');
}

describe('integrations.yaml', () => {
  it('as shipped declares the nine agents', async () => {
    const { agents, revision } = await parse(await readFile(SHIPPED, 'utf8'));
    const ofAccounts = ['mail', 'calendar', 'documents', 'drive', 'spreadsheets', 'presentations', 'bank'];
    expect([...agents.keys()]).toEqual([...ofAccounts, 'automations', 'tickets']);
    expect(agents.get('calendar')).toMatchObject({ provider: 'workspace', needs: ['calendar.events.owned'] });
    expect(agents.get('bank')).toMatchObject({ provider: 'bank', needs: ['transactions', 'auth'] });
    expect(revision).toMatch(/^[0-9a-f]{12}$/);
  });

  it('has a revision that follows its content', async () => {
    const { revision } = await parse(VALID, 'a');
    expect((await parse(VALID, 'b')).revision).toBe(revision);
    expect((await parse(`${VALID}# a comment`, 'a')).revision).not.toBe(revision);
  });
});

describe('an agent', () => {
  const names = async (source: string) => [...(await parse(source)).actions.keys()];

  it('without a list has every built-in action of its name that its scopes allow', async () => {
    const withoutTransactions = [...BUILT_INS.values()].filter((one) => one.provider === 'bank' && one.requires !== 'transactions');
    expect(await names(VALID)).toEqual(withoutTransactions.map(({ name }) => name));
    expect(await names(VALID)).toEqual(expect.arrayContaining(['bank.balances', 'bank.numbers']));
    expect(await names(VALID)).not.toContain('bank.transactions');
    expect(await names(mail('provider: workspace', 'description: x', 'scopes: [mail.send]'))).toEqual(['mail.send']);
  });

  it('with a list has exactly those actions, under the file’s names', async () => {
    const actions =
      'actions: { find: { use: drive.search, description: Finds., cap: 20kB }, off: { use: mail.read, policy: { enabled: false } } }';
    const { actions: found } = await parse(mail('provider: workspace', 'description: x', 'scopes: [drive, mail.modify]', actions));
    expect([...found.keys()]).toEqual(['mail.find', 'mail.off']);
    expect(found.get('mail.find')).toMatchObject({ agent: 'mail', description: 'Finds.', capBytes: 20_000, policy: { enabled: true } });
    expect(found.get('mail.off')?.policy.enabled).toBe(false);
    expect(await names(mail('provider: workspace', 'description: x', 'scopes: [drive]', 'actions: {}'))).toEqual([]);
  });

  it('does not get an action beyond its scopes, even if the action accepts other scopes', async () => {
    const { actions } = await parse(
      mail('provider: workspace', 'description: x', 'scopes: [documents]', 'actions: { r: { use: documents.read } }'),
    );
    expect(actions.get('mail.r')?.action.scopes).toEqual(['documents']);
  });

  it('has the policy of its action, else the file’s, else the default', async () => {
    const body = ['provider: workspace', 'description: x', 'scopes: [mail.modify]'];
    const source = mail(...body, 'actions: { a: { use: mail.read, policy: { timeout: 5s } }, t: { use: mail.trash } }');
    expect((await parse(source)).actions.get('mail.a')?.policy).toEqual({
      enabled: true,
      approval: 'destructive',
      timeoutMs: 5_000,
      rate: { calls: 60, perMs: 60_000 },
      allow: {},
      unmasked: false,
      tainted: 'ask',
      financial: 'ask',
    });
    const { actions } = await parse(`${source}defaults: { policy: { approval: never, timeout: 10s, rate: 7/hour } }\n`);
    expect(actions.get('mail.a')?.policy).toMatchObject({ approval: 'never', timeoutMs: 5_000, rate: { calls: 7, perMs: 3_600_000 } });
    // A destructive action requires approval, whatever the file's default is.
    expect(actions.get('mail.t')?.policy).toMatchObject({ approval: 'destructive', timeoutMs: 10_000 });
  });

  it('asks the user in person after a bank’s data was read, unless its policy or the file’s denies it, which are a revision each', async () => {
    const source = (own: string, defaults = '{}') =>
      `${mail('provider: workspace', 'description: x', 'scopes: [mail.modify]', `actions: { a: { use: mail.send, policy: ${own} } }`)}defaults: { policy: ${defaults} }\n`;
    const actionOf = async (text: string) => (await parse(text)).actions.get('mail.a');
    const usual = await actionOf(source('{}'));
    const denied = await actionOf(source('{}', '{ financial: deny }'));
    expect(usual?.policy.financial).toBe('ask');
    expect(denied?.policy.financial).toBe('deny');
    expect((await actionOf(source('{ financial: deny }')))?.revision).toBe(denied?.revision);
    expect((await actionOf(source('{ financial: ask }', '{ financial: deny }')))?.revision).toBe(usual?.revision);
    expect(denied?.revision).not.toBe(usual?.revision);
  });

  it('requires approval for what other people see, unless its own policy is never', async () => {
    const body = ['provider: workspace', 'description: x', 'scopes: [mail.modify, calendar.events.owned]'];
    const own = 'policy: { approval: never }';
    const source = mail(
      ...body,
      `actions: { a: { use: mail.send }, b: { use: mail.send, ${own} }, c: { use: calendar.create }, d: { use: calendar.update, ${own} }, e: { use: mail.draft } }`,
    );
    const rules = async (text: string) => [...(await parse(text)).actions.values()].map(({ policy }) => policy.approval);
    expect(await rules(source)).toEqual(['destructive', 'never', 'destructive', 'never', 'destructive']);
    const file = `${source}defaults: { policy: { approval: never } }\n`;
    expect(await rules(file)).toEqual(['destructive', 'never', 'destructive', 'never', 'never']);
  });

  it('shows full numbers only if its policy says so', async () => {
    const bank = (policy: string) => VALID.replace('[auth] }', `[auth], actions: { n: { use: bank.numbers, policy: ${policy} } } }`);
    expect((await parse(bank('{ mask: false }'))).actions.get('bank.n')?.policy.unmasked).toBe(true);
    expect((await parse(bank('{ mask: true }'))).actions.get('bank.n')?.policy.unmasked).toBe(false);
    expect((await parse(bank('{}'))).actions.get('bank.n')?.policy.unmasked).toBe(false);
  });
});

describe('a diagnostic is found with its line and column', () => {
  it.each<[string, string, string[]]>([
    ['nothing', '# only a comment\n', ['1:1 : is empty']],
    ['something else than a mapping', '- 1\n', ['1:1 : must be keys with values (key: value)']],
    ['a broken bracket', 'version: 1\nagents: [', ['2:10 : unexpected end of the stream within a flow collection']],
    ['a tab as indentation', 'version: 1\nagents:\n\tmail: 1', ['3:1 : tab characters must not be used in indentation']],
    ['a duplicate key', 'version: 1\nagents: {}\nversion: 1', ['3:1 : duplicated mapping key']],
    ['an unknown tag', 'version: !!js/function x', ['1:10 : unknown scalar tag !<tag:yaml.org,2002:js/function>']],
    ['a second document', `${VALID}---\nversion: 1`, ['5:1 : only one document is supported']],
    ['another version', 'version: 2\nagents: {}', ['1:10 version: must be 1']],
    ['no agents', 'version: 1', ['1:1 agents: is missing']],
    ['agents left empty', 'version: 1\nagents:\n', ['2:1 agents: must be names with values (name: value)']],
    ['agents as a list', 'version: 1\nagents: [mail]\n', ['2:9 agents: must be names with values (name: value)']],
    ['an agent that is not a mapping', 'version: 1\nagents:\n  mail: 3', ['3:9 agents.mail: must be keys with values (key: value)']],
    [
      'an unknown key',
      mail('provider: workspace', 'description: x', 'scopes: [drive]', 'colour: red'),
      ['7:5 agents.mail.colour: unknown key'],
    ],
    [
      'a key of the other provider',
      mail('provider: bank', 'description: x', 'products: [auth]', 'scopes: [drive]'),
      ['7:5 agents.mail.scopes: unknown key here'],
    ],
    [
      'scopes of Steward itself, which has none',
      mail('provider: steward', 'description: x', 'scopes: [drive]', 'actions: { propose: { use: automations.propose } }'),
      ['6:5 agents.mail.scopes: unknown key here'],
    ],
    [
      'proposals of automations without a question',
      mail('provider: steward', 'description: x', 'actions:', '  propose: { use: automations.propose, policy: { approval: never } }'),
      ['7:64 agents.mail.actions.propose.policy.approval: each call of this action asks the user: set always, or leave it out'],
    ],
    ['a missing key', mail('provider: workspace', 'scopes: [drive]'), ['3:3 agents.mail.description: is missing']],
    ['a missing provider', mail('description: x'), ['3:3 agents.mail.provider: must be workspace, bank, steward or mcp']],
    ['an unknown provider', mail('provider: "post"'), ['4:15 agents.mail.provider: must be workspace, bank, steward or mcp']],
    [
      'a scope twice',
      mail('provider: workspace', 'description: x', 'scopes: [drive, drive]'),
      ['6:13 agents.mail.scopes: must not contain duplicates'],
    ],
    [
      'an unknown scope',
      mail('provider: workspace', 'description: x', 'scopes: [mail.modfiy]'),
      ['6:14 agents.mail.scopes.0: there is no scope mail.modfiy; did you mean mail.modify?'],
    ],
    [
      'a scope as the provider has it',
      mail('provider: workspace', 'description: x', 'scopes: ["https://www.googleapis.com/auth/gmail.modify", gmail.send]'),
      [
        '6:14 agents.mail.scopes.0: there is no scope https://www.googleapis.com/auth/gmail.modify; did you mean mail.modify?',
        '6:62 agents.mail.scopes.1: there is no scope gmail.send; did you mean mail.send?',
      ],
    ],
    ['no scopes', mail('provider: workspace', 'description: x', 'scopes: []'), ['6:13 agents.mail.scopes: must not be empty']],
    [
      'an unknown product in a block list',
      mail('provider: bank', 'description: |', '  two lines', 'products:', '  - auth', '  - loans'),
      ['9:9 agents.mail.products.1: must be one of transactions, auth'],
    ],
    ['a bad agent name', VALID.replace('bank:', 'Bank 1:'), ['3:3 agents.Bank 1: must be a name of lower-case letters, digits, - and _']],
    [
      'an agent without actions that no built-in action is named after',
      VALID.replace('bank:', 'money:'),
      ['3:3 agents.money: has no built-in actions of its name within its scopes or products: list its actions'],
    ],
    [
      'an agent without actions whose scopes cover none',
      mail('provider: workspace', 'description: x', 'scopes: [documents]'),
      ['3:3 agents.mail: has no built-in actions of its name within its scopes or products: list its actions'],
    ],
    [
      'a value of the wrong type, after CRLF',
      VALID.replace('Balances.', '7').replaceAll('\n', '\r\n'),
      ['3:40 agents.bank.description: must be a string (in quotes if it looks like another type)'],
    ],
  ])('%s', async (_title, source, expected) => {
    expect(await problemsOf(source)).toEqual(expected);
  });

  it('several, in the order of the file', async () => {
    const found = await problemsOf(mail('provider: workspace', 'descripton: x', 'scopes: [mail.modify, "mail.sent"]'));
    expect(found.map((problem) => problem.split(': ')[0])).toEqual([
      '3:3 agents.mail.description',
      '5:5 agents.mail.descripton',
      '6:27 agents.mail.scopes.1',
    ]);
  });

  it('of every depth, in the order of the file: a value of the wrong type hides no other', async () => {
    const wrong = `version: 2
colour: red
defaults: { policy: { timeout: 10 } }
agents:
  mail:
    provider: workspace
    scopes: [mail.modfiy]
    actions:
      send: { use: mail.send, polcy: {} }
      find: { use: mail.serch }
      read: { use: mail.read, policy: { timeout: 60s, mask: false } }
  sheets:
    provider: workspace
    description: Sheets.
    scopes: [spreadsheets.readonly]
    actions:
      read:
        call: sheets.spreadsheets.values.get
        description: A range.
        effect: read
        input: { type: object, required: [range], properties: { range: { type: string } } }
        with: { spreadsheetId: x, range: $input.rnge }
  nobody: { provider: post, actions: { x: { use: nothing } } }
  notes: { provider: workspace, description: N., scopes: [drive] }
`;
    expect((await problemsOf(wrong)).map((problem) => problem.split(' ', 2).join(' '))).toEqual([
      '1:10 version:',
      '2:1 colour:',
      '3:32 defaults.policy.timeout:',
      '5:3 agents.mail.description:',
      '7:14 agents.mail.scopes.0:',
      '9:31 agents.mail.actions.send.polcy:',
      '10:20 agents.mail.actions.find.use:',
      '11:55 agents.mail.actions.read.policy.mask:',
      '21:65 agents.sheets.actions.read.input.properties.range:',
      '22:42 agents.sheets.actions.read.with.range:',
      '23:23 agents.nobody.provider:',
      '24:3 agents.notes:',
    ]);
  });

  it('the first twenty of all, whatever their depth', async () => {
    const pair = (index: number) => [`  u${index}: { use: nothing }`, `  s${index}: { use: mail.read, polcy: {} }`];
    const actions = Array.from({ length: 15 }, (_, index) => pair(index)).flat();
    const found = await problemsOf(mail('provider: workspace', 'description: x', 'scopes: [drive]', 'actions:', ...actions));
    expect(found.map((problem) => Number(problem.split(':')[0]))).toEqual(Array.from({ length: 20 }, (_, index) => 8 + index));
  });

  it('are all in the message for the operator', async () => {
    await expect(parse('version: 2', 'steward.yaml')).rejects.toThrow(
      /steward\.yaml:1:1 agents: is missing\n {2}steward\.yaml:1:10 version: must be 1/,
    );
  });
});

describe('a hostile file is rejected', () => {
  it.each(['__proto__', 'constructor', 'prototype'])('with the key %s', async (key) => {
    expect(await problemsOf(VALID.replace('bank:', `${key}:`))).toEqual([`3:3 agents.${key}: is a reserved name`]);
    expect(await problemsOf(`${VALID}${key}: {}`)).toEqual([`4:1 ${key}: is a reserved name`]);
    expect(({} as Record<string, unknown>).provider).toBeUndefined();
  });

  it('with an alias to itself', async () => {
    expect(await problemsOf('version: 1\nagents: &a\n  mail: *a')).toEqual([
      '3:9 : aliases are not supported; put text that begins with * in quotes',
    ]);
  });

  it('with aliases that multiply', async () => {
    const bomb = [
      'a: &a [x, x, x]',
      ...'bcdefghi'.split('').map((name, index) => `${name}: &${name} [${`*${'abcdefgh'[index]},`.repeat(9)}]`),
    ].join('\n');
    expect(await problemsOf(bomb)).toEqual(['2:8 : aliases are not supported; put text that begins with * in quotes']);
  });

  it('with collections nested deeply', async () => {
    expect((await problemsOf(`agents: ${'['.repeat(50_000)}`))[0]).toContain('nesting exceeded maxDepth');
  });

  it('and any other file throws an IntegrationsError', async () => {
    // problemsOf() expects every error to be one.
    const holds = async (source: string) => void (await problemsOf(source));
    await fc.assert(fc.asyncProperty(anyDocument, holds), { numRuns: 300 });
    await fc.assert(fc.asyncProperty(anyText, holds), { numRuns: 300 });
  });

  it('with very many diagnostics: the first twenty are reported', async () => {
    const lines = Array.from({ length: 3000 }, (_, index) => `k${index}: 1`);
    expect(await problemsOf(lines.join('\n'))).toHaveLength(20);
    expect(await problemsOf(`version: 1\nagents:\n  m: { products: [${'x,'.repeat(100_000)}] }`)).toEqual([
      expect.stringContaining('has too many values from here on'),
    ]);
  });
});

describe('GET /update_integrations', () => {
  let folder: string;
  let path: string;
  let lines: string[];
  const logger = createLogger('trace', { write: (text: string) => void lines.push(text) });
  const clock = systemClock;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'integrations-'));
    path = join(folder, 'integrations.yaml');
    lines = [];
    await writeFile(path, VALID);
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function reload(service: IntegrationsService, showsProblems = false) {
    const pass = () => {};
    const middleware = { requireCredential: () => pass, admit: pass } as never;
    const [route] = integrationsRouter(
      { db: {} as never, providers: PROVIDERS, sources: () => new Map(), reloads: service, showsProblems },
      middleware,
    ).endpoints;
    return route?.handle({} as never);
  }

  it('reloads the file and returns success', async () => {
    const service = await IntegrationsService.load(path, integrationsFormat, clock, logger);
    const before = service.current;
    await writeFile(path, VALID.replace('auth', 'transactions'));
    expect(await reload(service)).toEqual({ json: { status: 'success' } });
    expect(service.current.agents.get('bank')).toMatchObject({ needs: ['transactions'] });
    expect(service.current.revision).not.toBe(before.revision);
    expect(before.agents.get('bank')).toMatchObject({ needs: ['auth'] });
  });

  it.each<[string, () => Promise<unknown> | unknown, string]>([
    ['is not valid', () => writeFile(path, `${VALID}hunter2: 1`), '"line":4,"column":1,"path":"hunter2","message":"unknown key"'],
    ['is not YAML', () => writeFile(path, 'hunter2: ['), '"line":1,"column":11'],
    ['is gone', () => rm(path), "can't be read (ENOENT)"],
    ['is a folder', () => rm(path).then(() => execFileSync('mkdir', [path])), 'is not a regular file'],
    ['is a FIFO', () => rm(path).then(() => execFileSync('mkfifo', [path])), 'is not a regular file'],
    ['is not UTF-8', () => writeFile(path, Buffer.concat([Buffer.from(VALID), Buffer.of(0x23, 0xff)])), 'is not UTF-8'],
    ['has a megabyte', () => writeFile(path, `${VALID}#${'x'.repeat(1_000_000)}`), 'has more than 256000 bytes'],
  ])('keeps the previous integrations, logs it, and shows no content if the file %s', async (_title, spoil, logged) => {
    const service = await IntegrationsService.load(path, integrationsFormat, clock, logger);
    const before = service.current;
    await spoil();
    const error = await reload(service).catch((thrown: AppError) => thrown);
    expect(error).toMatchObject({
      code: 'invalid_configuration',
      status: 422,
      message: 'The integrations file is not valid; the previous one stays in force.',
    });
    expect(service.current).toBe(before);
    expect(lines.join()).toContain(logged);
  });

  it('shows the diagnostics if allowed, with the number of further ones', async () => {
    const service = await IntegrationsService.load(path, integrationsFormat, clock, logger);
    await writeFile(path, `${VALID}${Array.from({ length: 33 }, (_, index) => `u${index}: 1`).join('\n')}`);
    const error = await reload(service, true).catch((thrown: AppError) => thrown);
    expect(error).toMatchObject({ code: 'invalid_configuration', status: 422, details: { more: 13 } });
    const { problems } = (error as AppError).details as { problems: object[] };
    expect(problems).toHaveLength(20);
    expect(problems[0]).toEqual({ line: 4, column: 1, path: 'u0', message: 'unknown key' });
    expect(lines.join()).toContain('"more":13');
  });

  it('succeeds again once the file is corrected', async () => {
    const service = await IntegrationsService.load(path, integrationsFormat, clock, logger);
    await writeFile(path, 'version: 2');
    await expect(reload(service)).rejects.toMatchObject({ code: 'invalid_configuration' });
    await writeFile(path, VALID);
    await expect(reload(service)).resolves.toEqual({ json: { status: 'success' } });
  });

  it('compiles a content once, whether valid or invalid', async () => {
    const compiled: string[] = [];
    const compile: typeof integrationsFormat.compile = (document, revision) => {
      compiled.push(revision);
      return integrationsFormat.compile(document, revision);
    };
    const service = await IntegrationsService.load(path, { ...integrationsFormat, compile }, clock, logger);
    const before = service.current;
    await service.reload();
    expect(compiled.length).toBe(1);
    expect(service.current).toBe(before);
    // Only the compilation shows that mail.serch does not exist.
    await writeFile(
      path,
      `${VALID}  mail: { provider: workspace, description: M., scopes: [drive], actions: { x: { use: mail.serch } } }\n`,
    );
    for (const told of [1, 2]) {
      await expect(reload(service)).rejects.toMatchObject({ code: 'invalid_configuration', status: 422 });
      expect(lines.join('').split('there is no built-in action mail.serch').length - 1).toBe(told);
    }
    expect(compiled.length).toBe(2);
    await writeFile(path, VALID);
    await service.reload();
    expect(compiled.length).toBe(2);
    expect(service.current).toBe(before);
    await writeFile(path, VALID.replace('auth', 'transactions'));
    await service.reload();
    expect(compiled.length).toBe(3);
    expect(service.current.agents.get('bank')).toMatchObject({ needs: ['transactions'] });
  });

  it('serves 1,000 concurrent reloads with two runs', async () => {
    const service = await IntegrationsService.load(path, integrationsFormat, clock, logger);
    await Promise.all(Array.from({ length: 1000 }, () => service.reload()));
    expect(service.runs).toBe(2);
    await service.reload();
    expect(service.runs).toBe(3);
  });

  it('returns to a request during a run the file’s content at its arrival', async () => {
    const service = await IntegrationsService.load(path, integrationsFormat, clock, logger);
    const first = service.reload();
    const change = writeFile(path, VALID.replace('auth', 'transactions')).then(() => Promise.all([service.reload(), service.reload()]));
    await Promise.all([first, change]);
    expect(service.current.agents.get('bank')).toMatchObject({ needs: ['transactions'] });
  });

  it('rejects the waiting requests, too, if the file is invalid, and accepts later ones', async () => {
    const service = await IntegrationsService.load(path, integrationsFormat, clock, logger);
    await writeFile(path, 'version: 2');
    const results = await Promise.allSettled(Array.from({ length: 100 }, () => service.reload()));
    expect(results.every((result) => result.status === 'rejected')).toBe(true);
    expect(service.runs).toBe(2);
    await writeFile(path, VALID);
    await service.reload();
    expect(service.runs).toBe(3);
  });

  it('does not allow a start without a valid file', async () => {
    await expect(IntegrationsService.load(join(folder, 'none.yaml'), integrationsFormat, clock, logger)).rejects.toThrow(
      /none\.yaml:1:1 can't be read \(ENOENT\)/,
    );
    await writeFile(path, 'version: 2');
    await expect(IntegrationsService.load(path, integrationsFormat, clock, logger)).rejects.toThrow(
      'integrations.yaml:1:10 version: must be 1',
    );
  });
});
